// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelTools

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An axis of numbers: their positions, and the ticks.
struct PlotAxis {
  /// The start and the end of the axis, as logarithms if the axis is logarithmic.
  private let range: ClosedRange<Double>
  let isLogarithmic: Bool
  /// The labelled numbers, and their text.
  let ticks: [(value: Double, text: String)]

  /// Makes an axis that covers some values.
  ///
  /// - Parameters:
  ///   - values: The values to cover.
  ///   - mayBeLogarithmic: Whether the axis is logarithmic if the values differ very much in size.
  ///   - startsAtZero: Whether the axis includes 0.
  init(_ values: [Double], mayBeLogarithmic: Bool = false, startsAtZero: Bool = false) {
    let values = values.map(Self.drawable)
    let least = values.min() ?? 0
    let most = values.max() ?? 1
    isLogarithmic = mayBeLogarithmic && least > 0 && most / least > 50
    if isLogarithmic {
      let (low, high) = (log10(least), log10(most))
      let margin = (high - low) * 0.04
      range = (low - margin)...(high + margin)
      let first = Int((low - margin).rounded(.up))
      let decades = first...max(Int((high + margin).rounded(.down)), first)
      let every = max(1, decades.count / 8)
      let factors: [Double] = decades.count <= 3 ? [1, 2, 5] : [1]
      let (start, end) = (range.lowerBound, range.upperBound)
      ticks = stride(from: first - 1, through: decades.upperBound, by: every).flatMap { exponent in
        factors.map { $0 * pow(10, Double(exponent)) }
      }.filter { (start...end).contains(log10($0)) }.map { value in
        (value, (1e-4..<1e6).contains(value) ? value.plain : Self.exponential(value))
      }
      return
    }
    let low = startsAtZero ? min(0, least) : least
    // Values that differ only by rounding are drawn as one, because no numbers lie between them.
    let size = max(abs(low), abs(most))
    let span = most - low > size * 1e-12 ? most - low : max(size, 1)
    let step = Self.step(for: span)
    let first = startsAtZero && low == 0 ? 0 : ((low - span * 0.02) / step).rounded(.down) * step
    let last = startsAtZero ? low + span : ((low + span * 1.02) / step).rounded(.up) * step
    range = first...max(last, first + step)
    ticks = (0...Int(((range.upperBound - first) / step + 1e-6).rounded(.down))).map { index in
      let value = first + Double(index) * step
      return (value, Self.text(value, step: step))
    }
  }

  /// Returns the position of a value, from 0 at the start to 1 at the end.
  func place(of value: Double) -> Double {
    let value = Self.drawable(value)
    let number = isLogarithmic ? log10(max(value, Self.sizes.lowerBound)) : value
    return (number - range.lowerBound) / (range.upperBound - range.lowerBound)
  }

  /// The magnitudes whose sums and differences are neither infinite nor too small to divide.
  private static let sizes = 1e-300...1e300

  /// Returns a value that can be calculated with: very large values are clamped, and very small are
  /// 0.
  private static func drawable(_ value: Double) -> Double {
    value.magnitude < sizes.lowerBound
      ? 0 : min(max(value, -sizes.upperBound), sizes.upperBound)
  }

  /// Returns 1, 2 or 5 times a power of ten, so that about five steps fit.
  private static func step(for span: Double) -> Double {
    let power = pow(10, log10(span / 5).rounded(.down))
    let factor = span / 5 / power
    return power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10)
  }

  private static func exponential(_ value: Double) -> String {
    let exponent = Int(log10(value * 1.001).rounded(.down))
    return "\((value / pow(10, Double(exponent))).fixed(0))e\(exponent)"
  }

  private static func text(_ value: Double, step: Double) -> String {
    guard step < 1e7, step > 1e-6, abs(value) < 1e10 else { return "\(value.significant)" }
    return value.fixed(max(0, Int(-log10(step * 1.001).rounded(.down))))
  }
}

extension Double {
  /// The number with as many decimals as it needs, up to six.
  fileprivate var plain: String {
    var text = fixed(6)
    while text.hasSuffix("0") { text.removeLast() }
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}
