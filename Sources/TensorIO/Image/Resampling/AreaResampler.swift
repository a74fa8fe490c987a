// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CPixelKernels

/// Resizes like OpenCV's `INTER_AREA` when no axis is enlarged.
///
/// A target pixel is the mean of the area that it covers. The result is bit for bit equal.
struct AreaResampler: Resampler {
  private let width: Int
  private let columns: Cells
  private let rows: Cells
  /// The factor that the sums are multiplied by.
  private let scale: Float
  /// The value added at the end, because OpenCV rounds halves up in 2 x 2 blocks but to even in all
  /// others.
  private let bias: Float

  init(from source: (width: Int, height: Int), to target: (width: Int, height: Int)) {
    width = target.width
    let across = 1 / (Double(target.width) / Double(source.width))
    let down = 1 / (Double(target.height) / Double(source.height))
    let isWhole = [across, down].allSatisfy { abs($0 - $0.rounded()) < Double.ulpOfOne }
    columns = Cells(from: source.width, to: target.width, across, isWhole)
    rows = Cells(from: source.height, to: target.height, down, isWhole)
    scale = isWhole ? 1 / Float(across.rounded() * down.rounded()) : 1
    bias = isWhole && across.rounded() == 2 && down.rounded() == 2 ? 0.125 : 0
  }

  func forEachRow<Failure: Error>(
    of format: SourceFormat, row: (Int) throws(Failure) -> UnsafePointer<UInt8>,
    _ body: (ResampledRow, Int) -> Void
  ) throws(Failure) {
    let count = width * 3
    let madeMemory = RowMemory<Float>(width: count, zero: 0)
    defer { madeMemory.deallocate() }
    let made = madeMemory.first
    let sumsMemory = RowMemory<Float>(width: count, zero: 0)
    defer { sumsMemory.deallocate() }
    let sums = sumsMemory.first
    let resultMemory = RowMemory<UInt8>(width: count, zero: 0)
    defer { resultMemory.deallocate() }
    let result = resultMemory.first
    let scales = [Float](repeating: scale, count: count)
    let biases = [Float](repeating: bias, count: count)
    var latest = -1
    for y in rows.starts.indices {
      sums.update(repeating: 0, count: count)
      for tap in 0..<Int(rows.counts[y]) {
        let index = Int(rows.starts[y]) + tap
        if index != latest {
          pixel_cover_columns(
            try row(index), format.bytesPerPixel, columns.starts, columns.counts,
            columns.weights, columns.longest, width, made)
          latest = index
        }
        pixel_add_floats(made, rows.weights[y * rows.longest + tap], count, sums)
      }
      pixel_scale_floats(sums, scales, biases, count, sums)
      pixel_round_row(sums, count, result)
      body(.bytes(result), y)
    }
  }
}

/// For every target position, the source positions that it covers and how much of each it covers.
private struct Cells {
  private(set) var starts: [UInt32] = []
  private(set) var counts: [UInt32] = []
  /// The weights, with ``longest`` entries for each position.
  private(set) var weights: [Float] = []
  let longest: Int

  init(from source: Int, to target: Int, _ scale: Double, _ isWhole: Bool) {
    longest = min(Int(scale.rounded(.up)) + 2, source)
    for index in 0..<target {
      let (start, taps) =
        isWhole
        ? (index * Int(scale.rounded()), [Float](repeating: 1, count: Int(scale.rounded())))
        : Self.cell(index, of: source, scale)
      starts.append(UInt32(start))
      counts.append(UInt32(taps.count))
      weights += taps
      weights += repeatElement(0, count: longest - taps.count)
    }
  }

  /// Computes the source positions of one target position, and omits parts of less than a
  /// thousandth.
  private static func cell(
    _ index: Int, of source: Int, _ scale: Double
  ) -> (start: Int, weights: [Float]) {
    let from = Double(index) * scale
    let to = from + scale
    let size = min(scale, Double(source) - from)
    let last = min(Int(to.rounded(.down)), source - 1)
    let first = min(Int(from.rounded(.up)), last)
    var taps: [Float] = []
    var start = first
    if Double(first) - from > 1e-3 {
      start = first - 1
      taps.append(Float((Double(first) - from) / size))
    }
    taps += repeatElement(Float(1 / size), count: last - first)
    if to - Double(last) > 1e-3 {
      taps.append(Float(min(min(to - Double(last), 1), size) / size))
    }
    return (start, taps)
  }
}
