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
  private let columns: Spans
  private let rows: Spans
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
    columns = Spans(coveredFrom: source.width, to: target.width, across, isWhole)
    rows = Spans(coveredFrom: source.height, to: target.height, down, isWhole)
    scale = isWhole ? 1 / Float(across.rounded() * down.rounded()) : 1
    bias = isWhole && across.rounded() == 2 && down.rounded() == 2 ? 0.125 : 0
  }

  func forEachRow<Failure: Error>(
    bytesPerPixel: Int, row: SourceRow<Failure>, _ body: RowReceiver
  ) throws(Failure) {
    let count = width * 3
    let made = RowMemory<Float>(width: count)
    defer { made.deallocate() }
    let sums = RowMemory<Float>(width: count)
    defer { sums.deallocate() }
    let result = RowMemory<UInt8>(width: count)
    defer { result.deallocate() }
    let scales = [Float](repeating: scale, count: count)
    let biases = [Float](repeating: bias, count: count)
    var latest = -1
    for y in rows.starts.indices {
      sums.first.update(repeating: 0, count: count)
      for tap in 0..<Int(rows.counts[y]) {
        let index = Int(rows.starts[y]) + tap
        if index != latest {
          pixel_cover_columns(
            try row(index), bytesPerPixel, columns.starts, columns.counts,
            columns.weights, columns.longest, width, made.first)
          latest = index
        }
        pixel_add_floats(made.first, rows.weights[y * rows.longest + tap], count, sums.first)
      }
      pixel_scale_floats(sums.first, scales, biases, count, sums.first)
      pixel_round_row(sums.first, count, result.first)
      body(.bytes(result.first), y)
    }
  }
}

extension Spans {
  /// Computes which source positions each target position covers, and how much of each.
  fileprivate init(
    coveredFrom source: Int, to target: Int, _ scale: Double, _ isWhole: Bool
  ) {
    self.init(longest: min(Int(scale.rounded(.up)) + 2, source))
    for index in 0..<target {
      let (start, taps) =
        isWhole
        ? (index * Int(scale.rounded()), [Float](repeating: 1, count: Int(scale.rounded())))
        : Self.cell(index, of: source, scale)
      append(start, taps)
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
