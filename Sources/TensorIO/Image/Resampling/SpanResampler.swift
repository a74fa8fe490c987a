// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CPixelKernels

/// Computes weighted sums in float32, first of whole rows, then of their columns.
///
/// It resizes like TensorFlow's `scale_and_translate` kernel with a triangle filter and
/// antialiasing, bit for bit equal. It also resizes a part that begins and ends within pixels, with
/// any of Pillow's kernels.
struct SpanResampler: Resampler {
  private let source: (width: Int, height: Int)
  private let width: Int
  let columns: Spans
  private let rows: Spans

  init(from source: (width: Int, height: Int), to target: (width: Int, height: Int)) {
    self.source = source
    width = target.width
    columns = Spans(from: source.width, to: target.width)
    rows = Spans(from: source.height, to: target.height)
  }

  /// Resizes a part with one of Pillow's kernels, without rounding to bytes between the passes.
  init(
    _ window: ImagePlacement.Window, of source: (width: Int, height: Int),
    to target: (width: Int, height: Int), _ method: ResizeMethod
  ) {
    self.source = source
    width = target.width
    columns = Spans(PillowTaps(from: source.width, window.columns, to: target.width, method))
    rows = Spans(PillowTaps(from: source.height, window.rows, to: target.height, method))
  }

  func forEachRow<Failure: Error>(
    bytesPerPixel: Int, row: SourceRow<Failure>, _ body: RowReceiver
  ) throws(Failure) {
    let count = source.width * 3
    let ring = RowMemory<UInt8>(rows: rows.longest, width: count)
    defer { ring.deallocate() }
    let sums = RowMemory<Float>(width: count)
    defer { sums.deallocate() }
    let result = RowMemory<Float>(width: width * 3)
    defer { result.deallocate() }
    var next = 0
    for y in rows.starts.indices {
      let start = Int(rows.starts[y])
      let end = start + Int(rows.counts[y])
      next = max(next, start)
      while next < end {
        pack(
          try row(next), bytesPerPixel: bytesPerPixel, width: source.width, into: ring[next])
        next += 1
      }
      sums.first.update(repeating: 0, count: count)
      for index in start..<end {
        let weight = rows.weights[y * rows.longest + index - start]
        pixel_add_row(ring[index], weight, count, sums.first)
      }
      pixel_add_columns(
        sums.first, columns.starts, columns.counts, columns.weights, columns.longest, width,
        result.first)
      body(.floats(result.first), y)
    }
  }
}

/// For every target position, the source positions that contribute to it and their weights.
struct Spans {
  private(set) var starts: [UInt32] = []
  private(set) var counts: [UInt32] = []
  /// The weights, with ``longest`` entries for each position.
  private(set) var weights: [Float] = []
  let longest: Int
}

extension Spans {
  mutating func append(_ start: Int, _ taps: some Collection<Float>) {
    starts.append(UInt32(start))
    counts.append(UInt32(taps.count))
    weights += taps
    weights += repeatElement(0, count: longest - taps.count)
  }

  fileprivate init(from source: Int, to target: Int) {
    let inverse = 1 / (Float(target) / Float(source))
    let widening = max(inverse, 1)
    // The longest span isn't computed from the ratio, because the ends of the spans are rounded.
    let spans = (0..<target).map { index in
      let sample = (Float(index) + 0.5) * inverse
      guard sample >= 0, sample <= Float(source) else { return (sample, 0..<0) }
      let start = Int(((sample - widening) - 0.5).rounded(.up))
      let last = Int(((sample + widening) - 0.5).rounded(.down))
      return (sample, min(max(start, 0), source - 1)..<min(max(last, 0), source - 1) + 1)
    }
    self.init(longest: spans.map(\.1.count).max() ?? 0)
    weights.reserveCapacity(target * longest)
    for (sample, span) in spans {
      append(span.lowerBound, Self.weights(at: sample, of: span, 1 / widening))
    }
  }

  fileprivate init(_ taps: PillowTaps) {
    self.init(longest: taps.longest)
    for window in taps.windows {
      let weights = taps.weights[window.offset..<window.offset + window.count]
      append(window.start, weights.lazy.map { Float($0) })
    }
  }

  private static func weights(
    at sample: Float, of span: Range<Int>, _ narrowing: Float
  ) -> [Float] {
    let taps = span.map { max(0, 1 - abs(((Float($0) + 0.5) - sample) * narrowing)) }
    let total = taps.reduce(0, +)
    guard abs(total) >= 1000 * Float.leastNormalMagnitude else { return taps.map { _ in 0 } }
    let share = 1 / total
    return taps.map { $0 * share }
  }
}
