// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What makes scores of the numbers that a model returns.
package enum BoxActivation: String, Sendable, CaseIterable {
  /// The numbers are scores.
  case none
  /// A probability of each class.
  case sigmoid
  /// Probabilities of all classes that add up to 1.
  case softmax

  /// Returns the score of a number; softmax needs all numbers instead.
  func score(_ value: Float) -> Float {
    self == .sigmoid ? Float(1 / (1 + exp(-Double(value)))) : value
  }

  /// Returns a number that values must exceed if their scores exceed the threshold.
  ///
  /// It's a little low because of rounding, so the score must be compared as well.
  func least(_ threshold: Float) -> Float {
    guard self == .sigmoid else { return threshold }
    guard threshold > 0 else { return -.infinity }
    guard threshold < 1 else { return .infinity }
    let value = log(Double(threshold) / (1 - Double(threshold)))
    return Float(value - 0.001)
  }
}
