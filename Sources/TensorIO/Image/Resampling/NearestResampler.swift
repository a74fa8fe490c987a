// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Picks the nearest pixel, like Pillow's `resize(size, NEAREST)`.
struct NearestResampler: Resampler {
  private let columns: [Int]
  private let rows: [Int]

  init(from source: (width: Int, height: Int), to target: (width: Int, height: Int)) {
    columns = Self.positions(from: source.width, to: target.width)
    rows = Self.positions(from: source.height, to: target.height)
  }

  /// Computes the source positions by adding up the step, with the same rounding errors as in
  /// Pillow.
  private static func positions(from source: Int, to target: Int) -> [Int] {
    let step = Double(source) / Double(target)
    var position = step * 0.5
    return (0..<target).map { _ in
      defer { position += step }
      return min(Int(position), source - 1)
    }
  }

  func forEachRow<Failure: Error>(
    bytesPerPixel: Int, row: SourceRow<Failure>, _ body: RowReceiver
  ) throws(Failure) {
    let result = RowMemory<UInt8>(width: columns.count * 3)
    defer { result.deallocate() }
    var latest = -1
    for (y, index) in rows.enumerated() {
      if index != latest {
        let pixels = try row(index)
        for (x, column) in columns.enumerated() {
          let pixel = pixels + column &* bytesPerPixel
          result.first[x &* 3] = pixel[0]
          result.first[x &* 3 &+ 1] = pixel[1]
          result.first[x &* 3 &+ 2] = pixel[2]
        }
        latest = index
      }
      body(.bytes(result.first), y)
    }
  }
}
