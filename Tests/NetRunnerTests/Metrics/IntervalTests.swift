// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NetRunner

@Suite struct IntervalTests {
  /// Values of statsmodels' `proportion_confint(..., method="wilson")`.
  @Test(
    arguments: [
      (8, 10, 0.490162471, 0.943317848), (50, 100, 0.403831530, 0.596168470),
      (0, 10, 0, 0.277532799), (10, 10, 0.722467201, 1),
    ] as [(Int, Int, Double, Double)])
  func `Wilson's interval equals known values`(
    _ successes: Int, _ trials: Int, _ lower: Double, _ upper: Double
  ) throws {
    let interval = try #require(MetricValue.Interval.wilson(successes: successes, of: trials))
    #expect(abs(interval.lower - lower) < 1e-8)
    #expect(abs(interval.upper - upper) < 1e-8)
  }

  @Test func `Wilson's interval contains the share and narrows with more trials`() throws {
    for trials in 1...60 {
      for successes in 0...trials {
        let interval = try #require(MetricValue.Interval.wilson(successes: successes, of: trials))
        let share = Double(successes) / Double(trials)
        #expect(interval.lower <= share && share <= interval.upper)
        #expect(interval.lower >= 0 && interval.upper <= 1 && interval.lower < interval.upper)
        let more = try #require(
          MetricValue.Interval.wilson(successes: successes * 4, of: trials * 4))
        #expect(more.upper - more.lower < interval.upper - interval.lower)
      }
    }
    #expect(MetricValue.Interval.wilson(successes: 0, of: 0) == nil)
  }

  @Test func `a mean's interval has 1.96 standard errors on both sides`() throws {
    // The variance is 2.5, the standard error 0.5 * sqrt(2).
    let interval = try #require(MetricValue.Interval.normal(meanOf: [1, 2, 3, 4, 5]))
    #expect(abs(interval.lower - (3 - 1.959963985 * 0.707106781)) < 1e-8)
    #expect(abs(interval.upper - (3 + 1.959963985 * 0.707106781)) < 1e-8)
    #expect(MetricValue.Interval.normal(meanOf: [1]) == nil)
    #expect(MetricValue.Interval.normal(meanOf: [2, 2, 2]) == nil)
  }

  @Test func `resampling gives the interval of a mean, and the same one for the same seed`() throws
  {
    var random = TestNumbers(seed: 1)
    let numbers = (0..<400).map { _ in random.unit() }
    func interval(_ seed: UInt64) -> MetricValue.Interval? {
      Bootstrap(seed: seed).intervals(images: numbers.count, steps: numbers.count) { weights in
        #expect(weights.reduce(0, +) == numbers.count)
        return [zip(weights, numbers).reduce(0) { $0 + Double($1.0) * $1.1 } / 400]
      }?[0]
    }
    let first = try #require(interval(0))
    let normal = try #require(MetricValue.Interval.normal(meanOf: numbers))
    #expect(abs(first.lower - normal.lower) < 0.005)
    #expect(abs(first.upper - normal.upper) < 0.005)
    #expect(interval(0) == first)
    #expect(interval(1) != first)
  }

  @Test func `single images, too much work and undefined values have no resampled interval`() {
    #expect(Bootstrap(seed: 0).intervals(images: 1, steps: 1) { _ in [1] } == nil)
    #expect(Bootstrap(seed: 0).intervals(images: 5, steps: 100_001) { _ in [1] } == nil)
    #expect(Bootstrap(seed: 0).intervals(images: 5, steps: 5) { _ in [1, nil] } == [nil, nil])
  }
}
