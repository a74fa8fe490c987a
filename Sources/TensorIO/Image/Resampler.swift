// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CPixelKernels

/// Resizes as Pillow 13's `resize(size, BILINEAR)` does, bit for bit, and hands out finished rows.
///
/// Each pass rounds to bytes, so their order matters: horizontal first, but vertical first where
/// that makes a picture lower by more than twice what it makes it narrower. A pass whose size
/// does not change is left out. (Pillow before 13 always began with the horizontal pass; cut to
/// the target's aspect, only targets more than twice as high as wide can differ.)
///
/// Pillow keeps all rows of the first pass. Here a ring holds just those that one output row
/// needs, and they stay in the first cache.
struct Resampler {
  private let source: PixelSource
  private let width: Int
  private let height: Int
  private let horizontal: ResampleFilter?
  private let vertical: ResampleFilter?
  private let horizontalFirst: Bool

  /// Pixels in a row of the ring.
  private let ringWidth: Int
  /// Bytes of a row of the ring: whole blocks of 16, and room for what kernels write behind it.
  private let stride: Int

  init(source: PixelSource, crop: PixelCrop, to size: (width: Int, height: Int)) {
    self.source = source
    (width, height) = size
    horizontal = crop.width == width ? nil : ResampleFilter(from: crop.width, to: width)
    vertical = crop.height == height ? nil : ResampleFilter(from: crop.height, to: height)
    let lower = crop.height - height
    horizontalFirst = !(lower > 0 && lower > (crop.width - width) * 2)
    ringWidth = horizontalFirst ? width : crop.width
    stride = (max(width, ringWidth) * 3 + 15) / 16 * 16 + 16
  }

  /// Calls a closure with every row from top to bottom: three bytes a pixel.
  func forEachRow(_ body: (UnsafePointer<UInt8>, Int) -> Void) {
    let ringRows = vertical?.maximumTaps ?? 0
    let byteCount = stride * (ringRows + 2) + source.scratchByteCount
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: byteCount)
    // Weights of 0 meet rows and pixels that were never written: no matter what, but defined.
    memory.initialize(repeating: 0, count: byteCount)
    defer { memory.deallocate() }
    let finished = memory + stride * ringRows
    let summed = finished + stride
    let scratch = summed + stride

    guard let vertical else {
      for row in 0..<height {
        makeRow(row, scratch: scratch, into: finished)
        body(finished, row)
      }
      return
    }
    let rows = UnsafeMutablePointer<UnsafePointer<UInt8>?>.allocate(capacity: ringRows)
    rows.initialize(repeating: nil, count: ringRows)
    defer { rows.deallocate() }
    var next = 0
    for row in 0..<height {
      let window = vertical.windows[row]
      let start = Int(window.start)
      let pairs = Int(window.pairs)
      // An odd window's last row may lie behind the picture: it is not made.
      let end = min(start + pairs * 2, vertical.sourceSize)
      next = max(next, start)
      while next < end {
        makeRow(next, scratch: scratch, into: memory + (next % ringRows) * stride)
        next += 1
      }
      for tap in 0..<pairs * 2 {
        rows[tap] = UnsafePointer(memory + ((start + tap) % ringRows) * stride)
      }
      vertical.weights.withUnsafeBufferPointer { weights in
        guard let weights = weights.baseAddress else { return }
        pixel_add_rows(
          rows, weights + Int(window.weights), pairs, ringWidth * 3,
          horizontalFirst ? finished : summed)
      }
      if !horizontalFirst { finishRow(summed, into: finished) }
      body(finished, row)
    }
  }

  /// The first pass for a row of the crop.
  private func makeRow(
    _ row: Int, scratch: UnsafeMutablePointer<UInt8>, into target: UnsafeMutablePointer<UInt8>
  ) {
    guard let horizontal, horizontalFirst else {
      source.pack(row: row, scratch: scratch, into: target)
      return
    }
    resize(
      source.row(row, scratch: scratch), bytesPerPixel: source.bytesPerPixel, swaps: source.swaps,
      skip: source.skip, by: horizontal, into: target)
  }

  /// The horizontal pass when it comes second.
  private func finishRow(
    _ row: UnsafeMutablePointer<UInt8>, into target: UnsafeMutablePointer<UInt8>
  ) {
    guard let horizontal else {
      target.update(from: row, count: width * 3)
      return
    }
    resize(row, bytesPerPixel: 3, swaps: false, skip: 0, by: horizontal, into: target)
  }

  private func resize(
    _ row: UnsafePointer<UInt8>, bytesPerPixel: Int, swaps: Bool, skip: Int,
    by filter: ResampleFilter, into target: UnsafeMutablePointer<UInt8>
  ) {
    filter.windows.withUnsafeBufferPointer { windows in
      filter.weights.withUnsafeBufferPointer { weights in
        pixel_resize_row(
          row, bytesPerPixel, swaps ? 1 : 0, UInt32(skip), windows.baseAddress,
          weights.baseAddress, width, target)
      }
    }
  }
}
