// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

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

  /// An estimate ± 1.96 times its standard deviation.
  ///
  /// The result is nil if the standard deviation is 0, because equal numbers don't make an estimate
  /// certain.
  static func normal(mean: Double, variance: Double) -> Self? {
    let half = z * variance.squareRoot()
    guard mean.isFinite, half.isFinite, half > 0 else { return nil }
    return Self(lower: mean - half, upper: mean + half)
  }
}
