// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// An error about a front end's parameters, or about samples that it can't use.
package struct AudioError: Error, Equatable, CustomStringConvertible {
  /// What was expected, what was found, and how to fix it.
  package let message: String

  package init(_ message: String) { self.message = message }

  package var description: String { message }

  /// Checks a parameter, whose name is that of the Python library.
  static func check(_ name: String, _ value: Int, _ range: ClosedRange<Int>) throws(AudioError) {
    guard range.contains(value) else {
      throw AudioError(
        "'\(name)' must be from \(range.lowerBound) to \(range.upperBound), but it is \(value).")
    }
  }

  /// Checks a parameter, which can't be a number that isn't finite.
  static func check(
    _ name: String, _ value: Double, _ range: ClosedRange<Double>
  ) throws(AudioError) {
    guard range.contains(value) else {
      throw AudioError(
        "'\(name)' must be from \(range.lowerBound) to \(range.upperBound), but it is \(value).")
    }
  }
}
