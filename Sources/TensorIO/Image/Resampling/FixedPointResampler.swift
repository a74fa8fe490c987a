// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CPixelKernels

/// Resizes like OpenCV's `INTER_LINEAR` for bytes: two neighbours along each axis, in integers.
///
/// It also handles `INTER_AREA` when an axis is enlarged, with different positions. The result is
/// bit for bit equal.
struct FixedPointResampler: Resampler {
  private let width: Int
  private let columns: [pixel_fixed]
  private let rows: [pixel_fixed]

  init(
    from source: (width: Int, height: Int), to target: (width: Int, height: Int), isArea: Bool
  ) {
    width = target.width
    columns = (0..<target.width).map { index in
      var (first, fraction) = Self.position(index, from: source.width, to: target.width, isArea)
      if first < 0 || first >= source.width - 1 {
        first = min(max(first, 0), source.width - 1)
        fraction = 0
      }
      return Self.fixed(first, min(first + 1, source.width - 1), fraction)
    }
    rows = (0..<target.height).map { index in
      let (first, fraction) = Self.position(index, from: source.height, to: target.height, isArea)
      let last = source.height - 1
      return Self.fixed(min(max(first, 0), last), min(max(first + 1, 0), last), fraction)
    }
  }

  private static func position(
    _ index: Int, from source: Int, to target: Int, _ isArea: Bool
  ) -> (first: Int, fraction: Float) {
    let inverse = Double(target) / Double(source)
    let scale = 1 / inverse
    if isArea {
      let first = Int((Double(index) * scale).rounded(.down))
      let distance = Float(Double(index + 1) - Double(first + 1) * inverse)
      return (first, distance <= 0 ? 0 : distance - distance.rounded(.down))
    }
    let position = Float((Double(index) + 0.5) * scale - 0.5)
    let below = position.rounded(.down)
    return (Int(below), position - below)
  }

  private static func fixed(_ first: Int, _ second: Int, _ fraction: Float) -> pixel_fixed {
    pixel_fixed(
      first: UInt32(first), second: UInt32(second),
      first_weight: Int32(((1 - fraction) * 2048).rounded(.toNearestOrEven)),
      second_weight: Int32((fraction * 2048).rounded(.toNearestOrEven)))
  }

  func forEachRow<Failure: Error>(
    bytesPerPixel: Int, row: SourceRow<Failure>, _ body: RowReceiver
  ) throws(Failure) {
    let memory = RowMemory<Int32>(rows: 2, width: width * 3)
    defer { memory.deallocate() }
    let result = RowMemory<UInt8>(width: width * 3)
    defer { result.deallocate() }
    var latest = LatestRows()
    for (y, lerp) in rows.enumerated() {
      for index in [Int(lerp.first), Int(lerp.second)] where latest.admits(index) {
        pixel_fixed_row(
          try row(index), bytesPerPixel, columns, width, memory[latest.slot(of: index)])
      }
      pixel_fixed_rows(
        memory[latest.slot(of: Int(lerp.first))], memory[latest.slot(of: Int(lerp.second))],
        lerp.first_weight, lerp.second_weight, width * 3, result.first)
      body(.bytes(result.first), y)
    }
  }
}
