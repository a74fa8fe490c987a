// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CPixelKernels

/// The weights of the vertical pass: those of two neighbouring rows side by side.
struct RowWeights {
  /// The number of source rows.
  let sourceSize: Int
  /// For every target row, the first source row and how many pairs of rows it takes; an odd number
  /// of rows is filled up with a weight of 0.
  private(set) var windows: [(start: Int, pairs: Int, weights: Int)] = []
  private(set) var weights: [pixel_weights] = []
  /// The largest number of rows that a target row takes, filled up.
  private(set) var maximumTaps = 2

  init(from sourceSize: Int, to targetSize: Int, _ method: ResizeMethod) {
    self.sourceSize = sourceSize
    for window in PillowTaps(from: sourceSize, to: targetSize, method).windows {
      let taps = window.weights.map(PillowTaps.fixed)
      let first = weights.count
      for tap in stride(from: 0, to: taps.count, by: 2) {
        weights.append(pixel_weights(taps[tap], tap + 1 < taps.count ? taps[tap + 1] : 0))
      }
      let pairs = weights.count - first
      windows.append((window.start, pairs, first))
      maximumTaps = max(maximumTaps, pairs * 2)
    }
  }
}

/// The weights of the horizontal pass, for four target pixels at a time.
///
/// All take the same number of source pixels, the shorter filled up with weights of 0: behind them, or
/// before them where the row ends, so that nothing far behind a row is read.
struct ColumnWeights {
  /// Four target pixels each; of the last ones some may be none.
  private(set) var groups: [pixel_group] = []
  private(set) var weights: [pixel_group_weights] = []

  init(from sourceSize: Int, to targetSize: Int, _ method: ResizeMethod) {
    let windows = PillowTaps(from: sourceSize, to: targetSize, method).windows
    for first in stride(from: 0, to: targetSize, by: 4) {
      let four = (first..<first + 4).map { position in
        position < targetSize ? windows[position] : (start: windows[first].start, weights: [])
      }
      let pairs = ((four.map(\.weights.count).max() ?? 0) + 1) / 2
      let filled = four.map { Self.fill($0, to: pairs * 2, within: sourceSize) }
      groups.append(
        pixel_group(
          start: (
            UInt32(filled[0].start), UInt32(filled[1].start), UInt32(filled[2].start),
            UInt32(filled[3].start)
          ), pairs: UInt32(pairs), weights: UInt32(weights.count)))
      for pair in 0..<pairs {
        let parts = filled.map { pixel_weights($0.taps[pair * 2], $0.taps[pair * 2 + 1]) }
        weights.append(
          pixel_group_weights(
            low: (parts[0].low, parts[1].low, parts[2].low, parts[3].low),
            high: (parts[0].high, parts[1].high, parts[2].high, parts[3].high)))
      }
    }
  }

  private static func fill(
    _ window: (start: Int, weights: [Double]), to count: Int, within sourceSize: Int
  ) -> (start: Int, taps: [Int32]) {
    let start = max(0, min(window.start, sourceSize - count))
    let before = [Int32](repeating: 0, count: window.start - start)
    let taps = before + window.weights.map(PillowTaps.fixed)
    return (start, taps + [Int32](repeating: 0, count: max(0, count - taps.count)))
  }
}

extension pixel_weights {
  /// Each weight in two halves of 15 bits below and the rest above, four times in turn.
  fileprivate init(_ one: Int32, _ two: Int32) {
    self.init(
      low: Self.fourfold(one & 0x7fff, two & 0x7fff), high: Self.fourfold(one >> 15, two >> 15))
  }

  private typealias Fourfold = (Int16, Int16, Int16, Int16, Int16, Int16, Int16, Int16)

  private static func fourfold(_ one: Int32, _ two: Int32) -> Fourfold {
    let one = Int16(truncatingIfNeeded: one)
    let two = Int16(truncatingIfNeeded: two)
    return (one, two, one, two, one, two, one, two)
  }
}
