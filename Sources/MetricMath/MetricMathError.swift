// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// An error about numbers that have no defined result.
package struct MetricMathError: Error, Equatable, CustomStringConvertible {
  /// What was expected, what was found, and how to fix it.
  package let message: String

  package init(_ message: String) { self.message = message }

  package var description: String { message }

  /// Refuses NaN, which can't be compared with other numbers.
  static func refuseNaN(_ name: String, _ numbers: [Double]) throws(MetricMathError) {
    guard let index = numbers.firstIndex(where: \.isNaN) else { return }
    throw MetricMathError("Each of the \(name) must be a number, but number \(index) is NaN.")
  }

  static func requireFinite(_ name: String, _ numbers: [Double]) throws(MetricMathError) {
    guard let index = numbers.firstIndex(where: { !$0.isFinite }) else { return }
    throw MetricMathError(
      "Each of the \(name) must be a finite number, but number \(index) is \(numbers[index]).")
  }

  /// Checks that two lists have an element for each of the same items.
  static func requireEqual(
    _ name: String, _ count: Int, _ other: String, _ otherCount: Int
  ) throws(MetricMathError) {
    guard count != otherCount else { return }
    throw MetricMathError(
      "There must be as many \(name) as \(other), but there are \(count) and \(otherCount).")
  }
}
