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
    of format: SourceFormat, row: (Int) throws(Failure) -> UnsafePointer<UInt8>,
    _ body: (ResampledRow, Int) -> Void
  ) throws(Failure) {
    let resultMemory = RowMemory<UInt8>(width: columns.count * 3, zero: 0)
    defer { resultMemory.deallocate() }
    let result = resultMemory.first
    var latest = -1
    for (y, index) in rows.enumerated() {
      if index != latest {
        let pixels = try row(index)
        for (x, column) in columns.enumerated() {
          let pixel = pixels + column &* format.bytesPerPixel
          result[x &* 3] = pixel[0]
          result[x &* 3 &+ 1] = pixel[1]
          result[x &* 3 &+ 2] = pixel[2]
        }
        latest = index
      }
      body(.bytes(result), y)
    }
  }
}
