// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The ratio of two models' latencies on the same images.
public struct LatencyRatio: Sendable, Hashable, Codable {
  /// The stage that was measured: `inference` or `total`.
  public var stage: String
  /// The number of images with a latency of both models.
  public var count: Int
  /// The median over all images of the second latency divided by the first, or nil without images.
  public var median: Double?
  /// The 95% confidence interval of the median, from resampled images.
  ///
  /// It is nil for fewer than 20 images.
  public var interval: MetricValue.Interval?

  /// Compares latencies, without those that aren't positive numbers.
  init(
    stage: String, pairs: [(a: Double, b: Double)], seed: UInt64 = 0, resamples: Int = 1_000
  ) {
    let timed = pairs.filter { $0.a > 0 && $0.b > 0 && $0.a.isFinite && $0.b.isFinite }
    let ratios = timed.map { $0.b / $0.a }.filter(\.isFinite).sorted()
    self.stage = stage
    count = ratios.count
    guard let last = ratios.indices.last else { return }
    median = (ratios[last / 2] + ratios[(last + 1) / 2]) / 2
    guard count >= 20, resamples >= 40 else { return }
    var random = SplitMix64(seed: seed)
    let medians = (0..<resamples).map { _ in random.medianOfResample(ratios) }.sorted()
    interval = MetricValue.Interval(
      lower: Bootstrap.percentile(0.025, of: medians),
      upper: Bootstrap.percentile(0.975, of: medians))
  }
}

extension SplitMix64 {
  /// The median of a resample of the same size, drawn with replacement.
  fileprivate mutating func medianOfResample(_ sorted: [Double]) -> Double {
    let count = sorted.count
    var draws = [Int32](repeating: 0, count: count)
    for _ in 0..<count { draws[next(below: count)] += 1 }
    let (lower, upper) = ((count - 1) / 2, count / 2)
    var seen = 0
    var first: Double?
    for (index, times) in draws.enumerated() {
      seen += Int(times)
      if first == nil, seen > lower { first = sorted[index] }
      if let first, seen > upper { return (first + sorted[index]) / 2 }
    }
    return sorted[count - 1]
  }
}
