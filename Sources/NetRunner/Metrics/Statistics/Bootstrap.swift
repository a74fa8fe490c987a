// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Intervals from resampled pictures: the percentile bootstrap (Efron, 1979).
///
/// Equal seeds give equal intervals on every machine.
struct Bootstrap {
  /// How many steps all resamples together may take, so that no report takes minutes.
  static let maximumSteps = 100_000_000

  /// Where the random numbers begin.
  var seed: UInt64
  /// How many resamples are drawn.
  var resamples: Int

  init(seed: UInt64, resamples: Int = 1000) {
    self.seed = seed
    self.resamples = resamples
  }

  init(_ context: MetricContext) {
    self.init(seed: context.seed, resamples: context.resamples)
  }

  /// The 2.5% and 97.5% percentiles of values over resamples of the pictures.
  ///
  /// - Parameters:
  ///   - pictures: How many pictures there are.
  ///   - steps: How many steps a resample takes, about.
  ///   - values: Computes the values, given how often each picture is part of the resample; nil
  ///     where one is not defined for it.
  /// - Returns: An interval for each value, those of undefined values nil; nil in whole for less
  ///   than two pictures, and where it would take too long.
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
      for (place, result) in results.enumerated() {
        if let result { found[place].append(result) }
      }
    }
    return found.map { results in
      guard results.count > resamples / 2 else { return nil }
      let sorted = results.sorted()
      let interval = MetricValue.Interval(
        lower: Self.percentile(0.025, of: sorted), upper: Self.percentile(0.975, of: sorted))
      // Resamples that do not vary make no value certain.
      return interval.lower < interval.upper ? interval : nil
    }
  }

  /// Whether resamples of that many steps do not take too long.
  func allows(steps: Int) -> Bool { resamples <= 0 || steps <= Self.maximumSteps / resamples }

  /// A share of sorted numbers, in proportion between two of them, as NumPy's by default.
  static func percentile(_ share: Double, of sorted: [Double]) -> Double {
    let place = share * Double(sorted.count - 1)
    let index = Int(place)
    guard index + 1 < sorted.count else { return sorted[index] }
    return sorted[index] + (place - Double(index)) * (sorted[index + 1] - sorted[index])
  }
}
