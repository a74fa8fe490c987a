// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CPixelKernels

/// The weights of the vertical pass, interleaved for pairs of adjacent rows.
struct RowWeights {
  let sourceSize: Int
  /// For every target row, the first source row and the number of row pairs; an odd row count is
  /// padded with a weight of 0.
  private(set) var windows: [(start: Int, pairs: Int, weights: Int)] = []
  private(set) var weights: [pixel_weights] = []
  /// The largest number of source rows for a target row, including the padding.
  private(set) var maximumTaps = 2

  init(from sourceSize: Int, to targetSize: Int, _ method: ResizeMethod) {
    self.sourceSize = sourceSize
    let taps = PillowTaps(from: sourceSize, to: targetSize, method)
    windows.reserveCapacity(targetSize)
    for window in taps.windows {
      let first = weights.count
      for tap in stride(from: 0, to: window.count, by: 2) {
        weights.append(
          pixel_weights(
            taps.fixedWeight(tap, of: window), taps.fixedWeight(tap + 1, of: window)))
      }
      let pairs = weights.count - first
      windows.append((window.start, pairs, first))
      maximumTaps = max(maximumTaps, pairs * 2)
    }
  }
}

/// The weights of the horizontal pass, for groups of four target pixels.
///
/// The four pixels of a group use the same number of source pixels. The shorter windows are padded
/// with weights of 0, at their end or, near the end of the row, at their start, so that nothing far
/// past the end of a row is read.
struct ColumnWeights {
  /// Groups of four target pixels; the last group may have fewer.
  private(set) var groups: [pixel_group] = []
  private(set) var weights: [pixel_group_weights] = []

  init(from sourceSize: Int, to targetSize: Int, _ method: ResizeMethod) {
    let taps = PillowTaps(from: sourceSize, to: targetSize, method)
    groups.reserveCapacity(targetSize / 4 + 1)
    weights.reserveCapacity((targetSize / 4 + 1) * (taps.longest / 2 + 1))
    for first in stride(from: 0, to: targetSize, by: 4) {
      let none = PillowTaps.Window(start: taps.windows[first].start, count: 0, offset: 0)
      func window(_ position: Int) -> PillowTaps.Window {
        position < targetSize ? taps.windows[position] : none
      }
      let one = window(first)
      let two = window(first + 1)
      let three = window(first + 2)
      let four = window(first + 3)
      let longest = max(one.count, two.count, three.count, four.count)
      let pairs = (longest + 1) / 2
      let last = max(0, sourceSize - pairs * 2)
      func start(_ window: PillowTaps.Window) -> UInt32 { UInt32(min(window.start, last)) }
      // Windows that were moved back, to avoid reading past the end of the row, end one pixel
      // later.
      let isOdd = longest % 2 == 1 && [one, two, three, four].allSatisfy { $0.start <= last }
      groups.append(
        pixel_group(
          start: (start(one), start(two), start(three), start(four)), pairs: UInt32(pairs),
          weights: UInt32(weights.count), is_odd: isOdd ? 1 : 0))
      for pair in 0..<pairs {
        func part(_ window: PillowTaps.Window) -> pixel_weights {
          let tap = pair * 2 - (window.start - min(window.start, last))
          return pixel_weights(
            taps.fixedWeight(tap, of: window), taps.fixedWeight(tap + 1, of: window))
        }
        let (one, two, three, four) = (part(one), part(two), part(three), part(four))
        weights.append(
          pixel_group_weights(
            low: (one.low, two.low, three.low, four.low),
            high: (one.high, two.high, three.high, four.high)))
      }
    }
  }
}

extension pixel_weights {
  /// Splits each weight into the low 15 bits and the rest, and repeats the pair four times.
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
