// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CPixelKernels

/// Resizes like TensorFlow's `resize_bilinear` kernel, in floats and without antialiasing.
///
/// It interpolates between two neighbours along each axis, horizontally first, by
/// `first + (second - first) * fraction`. Every operation is rounded to float32, so the result is
/// bit for bit equal.
struct LerpResampler: Resampler {
  private let width: Int
  private let columns: [pixel_lerp]
  private let rows: [pixel_lerp]

  /// Samples are in the middle of pixels (TensorFlow 2) or at their corners (TensorFlow 1).
  init(
    from source: (width: Int, height: Int), to target: (width: Int, height: Int),
    isHalfPixel: Bool
  ) {
    width = target.width
    columns = Self.lerps(from: source.width, to: target.width, isHalfPixel)
    rows = Self.lerps(from: source.height, to: target.height, isHalfPixel)
  }

  private static func lerps(from source: Int, to target: Int, _ isHalfPixel: Bool) -> [pixel_lerp] {
    let scale = Float(source) / Float(target)
    return (0..<target).map { index in
      let position =
        isHalfPixel ? (Float(index) + 0.5) * scale - 0.5 : Float(index) * scale
      let below = position.rounded(.down)
      let first = max(Int(below), 0)
      let second = min(Int(position.rounded(.up)), source - 1)
      return pixel_lerp(
        first: UInt32(min(first, source - 1)), second: UInt32(max(second, 0)),
        fraction: position - below)
    }
  }

  func forEachRow<Failure: Error>(
    bytesPerPixel: Int, row: SourceRow<Failure>, _ body: RowReceiver
  ) throws(Failure) {
    let memory = RowMemory<Float>(rows: 2, width: width * 3)
    defer { memory.deallocate() }
    let result = RowMemory<Float>(width: width * 3)
    defer { result.deallocate() }
    var latest = LatestRows()
    for (y, lerp) in rows.enumerated() {
      for index in [Int(lerp.first), Int(lerp.second)] where latest.admits(index) {
        pixel_lerp_row(
          try row(index), bytesPerPixel, columns, width, memory[latest.slot(of: index)])
      }
      pixel_lerp_rows(
        memory[latest.slot(of: Int(lerp.first))], memory[latest.slot(of: Int(lerp.second))],
        lerp.fraction, width * 3, result.first)
      body(.floats(result.first), y)
    }
  }
}

/// The source rows that the two scratch rows hold; source rows come in increasing order.
struct LatestRows {
  private var indices = [-1, -1]

  /// Whether a row must be made; if so, it replaces the older of the two rows.
  mutating func admits(_ index: Int) -> Bool {
    if indices.contains(index) { return false }
    indices[indices[0] <= indices[1] ? 0 : 1] = index
    return true
  }

  /// The index of the scratch row that holds an admitted source row.
  func slot(of index: Int) -> Int { indices[0] == index ? 0 : 1 }
}
