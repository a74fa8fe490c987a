// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension Span<Float> {
  /// Returns the first of the greatest numbers, and its index in the sequence.
  ///
  /// - Parameters:
  ///   - start: The index of the first number.
  ///   - count: How many numbers are compared.
  ///   - step: The distance between two numbers.
  /// - Returns: Nil if there are no numbers, or if all are NaN.
  func greatest(
    from start: Int = 0, count: Int, step: Int = 1
  ) -> (index: Int, value: Float)? {
    var found: Int?
    var greatest = -Float.infinity
    var position = start
    for index in 0..<count {
      let value = self[position]
      // Comparisons with NaN are false, so it's never found.
      if value > greatest || (found == nil && value == greatest) {
        (found, greatest) = (index, value)
      }
      position += step
    }
    return found.map { ($0, greatest) }
  }

  /// The probability of the greatest number of a sequence.
  ///
  /// - Parameters:
  ///   - greatest: The greatest number.
  ///   - start: The index of the first number.
  ///   - count: How many numbers there are.
  ///   - activation: `softmax`, or `none` for numbers that are probabilities.
  /// - Returns: A number from 0 to 1.
  func probability(
    of greatest: Float, from start: Int, count: Int, _ activation: BoxActivation
  ) -> Double {
    guard activation == .softmax else { return Double(max(0, min(1, greatest))) }
    var sum = 0.0
    for position in start..<start + count {
      sum += softmaxWeight(of: self[position], greatest: greatest)
    }
    return 1 / sum
  }
}

/// The weight of a number in a softmax, which is 1 for the greatest number and 0 for NaN.
///
/// If the greatest number is infinite, all equal numbers have the same weight and others have none.
func softmaxWeight(of value: Float, greatest: Float) -> Double {
  if value == greatest { return 1 }
  return value.isNaN ? 0 : exp(Double(value) - Double(greatest))
}
