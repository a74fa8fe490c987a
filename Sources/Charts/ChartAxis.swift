// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls

/// An axis of a chart, which maps values to coordinates.
package struct ChartAxis {
  /// Whether equal distances on the axis are equal ratios.
  package let isLogarithmic: Bool
  /// The ends of the axis, as logarithms if it is logarithmic.
  private let lower: Double
  private let upper: Double
  private let start: Double
  private let end: Double

  /// A round number on an axis.
  package struct Tick {
    package let value: Double
    package let text: String
  }
}

extension ChartAxis {
  /// Creates an axis that maps a range of values to a range of coordinates.
  package init(_ lower: Double, _ upper: Double, at start: Double, _ end: Double) {
    self.init(
      isLogarithmic: false, lower: lower, upper: upper > lower ? upper : lower + 1, start: start,
      end: end)
  }

  /// Creates an axis that covers finite values, with a margin at both ends.
  ///
  /// The axis is logarithmic if the values are positive and differ very much in size.
  package init(covering values: [Double], at start: Double, _ end: Double) {
    let values = values.map(Self.drawable)
    let least = values.min() ?? 0
    let most = values.max() ?? 1
    let isLogarithmic = least > 0 && most / least > 50
    var (lower, upper) = isLogarithmic ? (log10(least), log10(most)) : (least, most)
    // Values that differ only by rounding are drawn as one, because no numbers lie between them.
    let size = max(abs(lower), abs(upper))
    let isOne = upper - lower <= size * 1e-12
    let margin = isOne ? max(size, 1) / 2 : (upper - lower) * 0.04
    lower -= margin
    upper += margin
    self.init(isLogarithmic: isLogarithmic, lower: lower, upper: upper, start: start, end: end)
  }

  /// The magnitudes whose sums and differences are neither infinite nor too small to divide.
  private static let sizes = 1e-290...1e290

  /// Returns a value that can be calculated with: very large values are clamped, and very small are
  /// 0.
  private static func drawable(_ value: Double) -> Double {
    value.magnitude < sizes.lowerBound
      ? 0 : min(max(value, -sizes.upperBound), sizes.upperBound)
  }

  /// The coordinate of a value; values outside the range are at the ends of the axis.
  package func position(of value: Double) -> Double {
    guard !value.isNaN else { return start }
    let number = isLogarithmic ? log10(max(value, Self.sizes.lowerBound)) : value
    let share = (min(max(number, lower), upper) - lower) / (upper - lower)
    return start + share * (end - start)
  }

  // MARK: - Ticks

  /// Returns approximately the given number of round values in the range.
  package func ticks(_ count: Int) -> [Tick] {
    let values = isLogarithmic ? logarithmicValues : linearValues(count)
    let digits = Self.decimals(of: values)
    let step = values.count > 1 ? values[1] - values[0] : 1
    return values.map { value in
      let isPlain =
        isLogarithmic
        ? (1e-4..<1e6).contains(value) : step < 1e7 && step > 1e-6 && abs(value) < 1e10
      let number =
        isLogarithmic ? DecimalText(value, atMost: 6) : DecimalText(value, digits: digits)
      return Tick(value: value, text: isPlain ? number.description : Self.scientific(value))
    }
  }

  private func linearValues(_ count: Int) -> [Double] {
    let step = Self.roundStep((upper - lower) / Double(max(1, count)))
    guard step > 0, step.isFinite else { return [lower] }
    let first = (lower / step).rounded(.up)
    let last = (upper / step + 1e-9).rounded(.down)
    guard last - first < 100 else { return [lower] }
    return stride(from: first, through: last, by: 1).map { $0 * step }
  }

  /// Powers of ten, and 2 and 5 times them on a short axis.
  private var logarithmicValues: [Double] {
    let first = Int(lower.rounded(.up))
    let last = max(Int(upper.rounded(.down)), first)
    let factors: [Double] = last - first <= 2 ? [1, 2, 5] : [1]
    return stride(from: first - 1, through: last, by: max(1, (last - first + 1) / 8))
      .flatMap { exponent in factors.map { $0 * pow(10, Double(exponent)) } }
      .filter { (lower...upper).contains(log10($0)) }
  }

  /// Rounds up to 1, 2, 2.5 or 5 times a power of ten.
  package static func roundStep(_ step: Double) -> Double {
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

  private static func scientific(_ value: Double) -> String {
    guard value != 0 else { return "0" }
    let exponent = Int(log10(value.magnitude * 1.001).rounded(.down))
    return "\(DecimalText(value / pow(10, Double(exponent)), atMost: 3))e\(exponent)"
  }
}
