// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// An axis of a chart, which maps values to coordinates.
struct ChartAxis {
  private let lower: Double
  private let upper: Double
  private let start: Double
  private let end: Double

  /// Creates an axis that maps a range of values to a range of coordinates.
  init(_ lower: Double, _ upper: Double, at start: Double, _ end: Double) {
    self.lower = lower
    self.upper = upper > lower ? upper : lower + 1
    self.start = start
    self.end = end
  }

  /// The coordinate of a value.
  ///
  /// Values outside the range are at the ends of the axis.
  func place(_ value: Double) -> Double {
    guard !value.isNaN else { return start }
    let share = (min(max(value, lower), upper) - lower) / (upper - lower)
    return start + share * (end - start)
  }

  /// Returns approximately the given number of round values in the range.
  func ticks(_ count: Int) -> [Double] {
    let step = Self.roundStep((upper - lower) / Double(max(1, count)))
    guard step > 0, step.isFinite else { return [lower] }
    let first = (lower / step).rounded(.up)
    let last = (upper / step + 1e-9).rounded(.down)
    guard last - first < 100 else { return [lower] }
    return stride(from: first, through: last, by: 1).map { $0 * step }
  }

  /// Rounds up to 1, 2, 2.5 or 5 times a power of ten.
  static func roundStep(_ step: Double) -> Double {
    guard step > 0, step.isFinite, step > 1e-300, step < 1e300 else { return 0 }
    var power = 1.0
    while power * 10 <= step { power *= 10 }
    while power > step { power /= 10 }
    return [1, 2, 2.5, 5, 10].first { $0 * power >= step * (1 - 1e-9) }.map { $0 * power }
      ?? 10 * power
  }

  /// The number of decimals that are needed to distinguish the ticks.
  static func decimals(of ticks: [Double]) -> Int {
    guard ticks.count > 1 else { return 1 }
    let step = ticks[1] - ticks[0]
    var (scaled, digits) = (step, 0)
    while digits < 6, abs(scaled - scaled.rounded()) > 1e-6 * abs(scaled) {
      scaled *= 10
      digits += 1
    }
    return digits
  }
}
