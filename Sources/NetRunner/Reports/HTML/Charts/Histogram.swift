// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts

/// The distribution of values over bins.
struct Histogram {
  /// The start of the first bin.
  let start: Double
  /// The width of a bin.
  let width: Double
  /// The number of values in each bin.
  let counts: [Int]
  /// The number of values after the last bin.
  let beyond: Int

  /// The end of the last bin.
  var end: Double { start + width * Double(counts.count) }

  /// Counts values.
  ///
  /// The result is nil if there are none.
  ///
  /// The bins have round widths. A few outliers would squeeze all other values into one bin. Values
  /// more than twice as far above the median as the 99th percentile are therefore counted in
  /// ``beyond``.
  init?(_ values: [Double]) {
    let sorted = values.filter { $0.isFinite && $0.magnitude < 1e12 }.sorted()
    guard let least = sorted.first, let most = sorted.last else { return nil }
    let middle = sorted[sorted.count / 2]
    let far = sorted[min(sorted.count - 1, sorted.count * 99 / 100)]
    let limit = sorted.count < 20 ? most : min(most, middle + 2 * (far - middle))
    let bins = min(30, max(8, Int(2 * Double(sorted.count).squareRoot())))
    let range = max(limit - least, max(abs(limit), 1e-3) * 0.01)
    let width = max(ChartAxis.roundStep(range / Double(bins)), 1e-9)
    let start = (least / width).rounded(.down) * width
    let count = min(60, max(1, Int(((limit - start) / width).rounded(.down)) + 1))
    var counts = [Int](repeating: 0, count: count)
    var beyond = 0
    for value in sorted {
      let bin = ((value - start) / width).rounded(.down)
      if bin < Double(count) { counts[max(0, Int(bin))] += 1 } else { beyond += 1 }
    }
    self.start = start
    self.width = width
    self.counts = counts
    self.beyond = beyond
  }
}
