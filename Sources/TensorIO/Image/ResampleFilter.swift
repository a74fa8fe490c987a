// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CPixelKernels

/// The weights of Pillow's BILINEAR filter along one axis: a triangle, wider when shrinking.
///
/// Pillow rounds each weight to 22 bits and adds up in 32-bit integers; so does this, and the
/// results are equal bit for bit.
struct ResampleFilter {
  /// The number of positions that taps are taken from.
  let sourceSize: Int
  /// For every output, its taps; an odd number of them is filled up with a weight of 0.
  private(set) var windows: [pixel_window] = []
  private(set) var weights: [pixel_weights] = []
  /// The largest number of taps of an output, filled up.
  private(set) var maximumTaps = 0

  init(from sourceSize: Int, to targetSize: Int) {
    self.sourceSize = sourceSize
    let scale = Double(sourceSize) / Double(targetSize)
    let support = max(scale, 1)
    let inverse = 1 / support
    var taps: [Double] = []
    windows.reserveCapacity(targetSize)
    for target in 0..<targetSize {
      let center = (Double(target) + 0.5) * scale
      let start = max(0, Int(center - support + 0.5))
      let end = min(sourceSize, Int(center + support + 0.5))
      taps.removeAll(keepingCapacity: true)
      for source in start..<max(start, end) {
        taps.append(max(0, 1 - abs((Double(source) - center + 0.5) * inverse)))
      }
      append(taps, from: start)
    }
  }

  private mutating func append(_ taps: [Double], from start: Int) {
    var total = taps.reduce(0, +)
    if total == 0 { total = 1 }
    let firstWeights = weights.count
    for first in stride(from: 0, to: taps.count, by: 2) {
      let one = Int32(0.5 + taps[first] / total * Double(1 << 22))
      let two =
        first + 1 < taps.count ? Int32(0.5 + taps[first + 1] / total * Double(1 << 22)) : 0
      weights.append(
        pixel_weights(
          low: Self.fourfold(one & 0x7fff, two & 0x7fff), high: Self.fourfold(one >> 15, two >> 15)
        ))
    }
    let pairs = weights.count - firstWeights
    windows.append(
      pixel_window(
        start: UInt32(start), pairs: UInt32(pairs), weights: UInt32(firstWeights)))
    maximumTaps = max(maximumTaps, pairs * 2)
  }

  private typealias Fourfold = (Int16, Int16, Int16, Int16, Int16, Int16, Int16, Int16)

  private static func fourfold(_ one: Int32, _ two: Int32) -> Fourfold {
    let one = Int16(truncatingIfNeeded: one)
    let two = Int16(truncatingIfNeeded: two)
    return (one, two, one, two, one, two, one, two)
  }
}
