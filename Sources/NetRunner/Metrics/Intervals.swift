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

  var seed: UInt64
  var resamples = 1000

  /// Computes the 2.5% and 97.5% percentiles of values over resamples of the images.
  ///
  /// `steps` is the approximate number of steps for one resample. The closure gets the number of
  /// times that each image occurs in it. An interval is nil if its value isn't defined. The whole
  /// result is nil for fewer than two images, or if the computation would take too long.
  func intervals(
    images: Int, steps: Int, of values: (_ weights: [Int]) -> [Double?]
  ) -> [MetricValue.Interval?]? {
    guard images > 1, resamples > 0, allows(steps: steps) else { return nil }
    var random = SplitMix64(seed: seed)
    var found: [[Double]] = []
    for _ in 0..<resamples {
      var weights = [Int](repeating: 0, count: images)
      for _ in 0..<images { weights[random.next(below: images)] += 1 }
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

extension Bootstrap {
  init(_ context: MetricContext) {
    self.init(seed: context.seed, resamples: context.resamples)
  }
}

extension MetricValue.Interval {
  /// The 97.5% point of the normal distribution.
  static let z = 1.959963984540054

  /// Wilson's score interval (1927) for a proportion of successes, or nil without trials.
  static func wilson(successes: Int, of trials: Int) -> Self? {
    guard trials > 0 else { return nil }
    let n = Double(trials)
    let share = Double(successes) / n
    let denominator = 1 + z * z / n
    let center = (share + z * z / (2 * n)) / denominator
    let half = z / denominator * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot()
    // At 0 and 1, one bound is exact and must not be affected by rounding.
    return Self(
      lower: successes == 0 ? 0 : max(center - half, 0),
      upper: successes == trials ? 1 : min(center + half, 1))
  }

  /// The mean ± 1.96 standard errors, or nil for fewer than two numbers.
  static func normal(meanOf numbers: [Double]) -> Self? {
    guard numbers.count > 1 else { return nil }
    let n = Double(numbers.count)
    let mean = numbers.reduce(0, +) / n
    let squares = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return normal(mean: mean, variance: squares / (n - 1) / n)
  }

  /// An estimate ± 1.96 standard deviations, or nil if they are 0, because equal numbers don't make
  /// an estimate certain.
  static func normal(mean: Double, variance: Double) -> Self? {
    let half = z * variance.squareRoot()
    guard mean.isFinite, half.isFinite, half > 0 else { return nil }
    return Self(lower: mean - half, upper: mean + half)
  }
}
