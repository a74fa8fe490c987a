// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Confidence intervals from resampled images, with the percentile bootstrap (Efron, 1979).
///
/// Equal seeds give equal intervals on every machine.
struct Bootstrap {
  /// The maximum number of steps for all resamples, so that a report doesn't take minutes.
  static let maximumSteps = 100_000_000

  /// The seed of the random numbers.
  var seed: UInt64
  /// The number of resamples.
  var resamples: Int

  init(seed: UInt64, resamples: Int = 1000) {
    self.seed = seed
    self.resamples = resamples
  }

  init(_ context: MetricContext) {
    self.init(seed: context.seed, resamples: context.resamples)
  }

  /// Computes the 2.5% and 97.5% percentiles of values over resamples of the images.
  ///
  /// - Parameters:
  ///   - pictures: The number of images.
  ///   - steps: The approximate number of steps for one resample.
  ///   - values: Computes the values from the number of times that each image occurs in the
  ///     resample. A value is nil if it isn't defined.
  /// - Returns: An interval for each value, or nil for undefined values. The whole result is nil if
  ///   there are fewer than two images, or if the computation would take too long.
  func intervals(
    pictures: Int, steps: Int, of values: (_ weights: [Int]) -> [Double?]
  ) -> [MetricValue.Interval?]? {
    guard pictures > 1, resamples > 0, allows(steps: steps) else { return nil }
    var random = SplitMix64(seed: seed)
    var found: [[Double]] = []
    for _ in 0..<resamples {
      var weights = [Int](repeating: 0, count: pictures)
      for _ in 0..<pictures { weights[random.next(below: pictures)] += 1 }
      let results = values(weights)
      if found.isEmpty { found = Array(repeating: [], count: results.count) }
      for (position, result) in results.enumerated() {
        if let result { found[position].append(result) }
      }
    }
    return found.map { results in
      guard results.count > resamples / 2 else { return nil }
      let sorted = results.sorted()
      let interval = MetricValue.Interval(
        lower: Self.percentile(0.025, of: sorted), upper: Self.percentile(0.975, of: sorted))
      // A value that is the same in all resamples isn't certain, so it gets no interval.
      return interval.lower < interval.upper ? interval : nil
    }
  }

  /// Whether resampling with this number of steps is fast enough.
  func allows(steps: Int) -> Bool { resamples <= 0 || steps <= Self.maximumSteps / resamples }

  /// Computes a percentile of sorted numbers with linear interpolation, which is NumPy's default.
  static func percentile(_ share: Double, of sorted: [Double]) -> Double {
    let position = share * Double(sorted.count - 1)
    let index = Int(position)
    guard index + 1 < sorted.count else { return sorted[index] }
    return sorted[index] + (position - Double(index)) * (sorted[index + 1] - sorted[index])
  }
}
