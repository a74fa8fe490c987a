// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CPixelKernels

/// Resizes bit for bit like Pillow 13's `resize(size, method)`.
///
/// Each pass rounds to bytes, so the order of the passes matters. The horizontal pass comes first,
/// except when the height shrinks by more than twice as many pixels as the width; then the vertical
/// pass comes first. A pass that does not change its size is skipped. (Pillow before 13 always
/// began with the horizontal pass.)
///
/// Pillow keeps all rows of the first pass. This type uses a ring of only those rows that one
/// output row needs, so they stay in the first-level cache.
struct PillowResampler: Resampler {
  private let source: (width: Int, height: Int)
  private let target: (width: Int, height: Int)
  private let columns: ColumnWeights?
  private let rows: RowWeights?
  private let isHorizontalFirst: Bool

  init(
    from source: (width: Int, height: Int), to target: (width: Int, height: Int),
    _ method: ResizeMethod
  ) {
    self.source = source
    self.target = target
    columns =
      source.width == target.width
      ? nil : ColumnWeights(from: source.width, to: target.width, method)
    rows =
      source.height == target.height
      ? nil : RowWeights(from: source.height, to: target.height, method)
    let lower = source.height - target.height
    isHorizontalFirst = !(lower > 0 && lower > (source.width - target.width) * 2)
  }

  func forEachRow<Failure: Error>(
    bytesPerPixel: Int, row: SourceRow<Failure>, _ body: RowReceiver
  ) throws(Failure) {
    let finished = RowMemory<UInt8>(width: target.width * 3)
    defer { finished.deallocate() }
    guard let rows else {
      for y in 0..<target.height {
        try makeRow(row(y), bytesPerPixel, into: finished.first)
        body(.bytes(finished.first), y)
      }
      return
    }
    let ringWidth = isHorizontalFirst ? target.width : source.width
    // Some rows and pixels are read with a weight of 0 without having been written. Zeroing makes
    // their values defined.
    let ring = RowMemory<UInt8>(rows: rows.maximumTaps, width: ringWidth * 3)
    defer { ring.deallocate() }
    let summed = RowMemory<UInt8>(width: ringWidth * 3)
    defer { summed.deallocate() }
    var taps = [UnsafePointer<UInt8>?](repeating: nil, count: rows.maximumTaps)
    var next = 0
    for y in 0..<target.height {
      let window = rows.windows[y]
      // The last row of an odd window may be past the end of the image. That row isn't made.
      let end = min(window.start + window.pairs * 2, rows.sourceSize)
      next = max(next, window.start)
      while next < end {
        try makeRow(row(next), bytesPerPixel, into: ring[next])
        next += 1
      }
      for tap in 0..<window.pairs * 2 { taps[tap] = UnsafePointer(ring[window.start + tap]) }
      rows.weights.withUnsafeBufferPointer { weights in
        pixel_add_rows(
          taps, weights.baseAddress.map { $0 + window.weights }, window.pairs, ringWidth * 3,
          isHorizontalFirst ? finished.first : summed.first)
      }
      if !isHorizontalFirst { finishRow(summed.first, into: finished.first) }
      body(.bytes(finished.first), y)
    }
  }

  /// Makes a row of the first pass.
  private func makeRow(
    _ row: UnsafePointer<UInt8>, _ bytesPerPixel: Int, into target: UnsafeMutablePointer<UInt8>
  ) {
    guard let columns, isHorizontalFirst else {
      pack(row, bytesPerPixel: bytesPerPixel, width: source.width, into: target)
      return
    }
    resize(row, bytesPerPixel: bytesPerPixel, by: columns, into: target)
  }

  /// Applies the horizontal pass when it comes second.
  private func finishRow(
    _ row: UnsafeMutablePointer<UInt8>, into target: UnsafeMutablePointer<UInt8>
  ) {
    guard let columns else {
      target.update(from: row, count: self.target.width * 3)
      return
    }
    resize(row, bytesPerPixel: 3, by: columns, into: target)
  }

  private func resize(
    _ row: UnsafePointer<UInt8>, bytesPerPixel: Int, by columns: ColumnWeights,
    into target: UnsafeMutablePointer<UInt8>
  ) {
    columns.groups.withUnsafeBufferPointer { groups in
      columns.weights.withUnsafeBufferPointer { weights in
        pixel_resize_row(
          row, bytesPerPixel, groups.baseAddress, weights.baseAddress, groups.count, target)
      }
    }
  }
}
