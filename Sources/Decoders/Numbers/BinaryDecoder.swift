// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Reads the scores of two classes from a single number: the score of the second class.
///
/// Keras's classifiers of two classes return such a number.
package struct BinaryDecoder: Sendable {
  private let axes: TensorAxes
  private let activation: BoxActivation

  /// Prepares for a number.
  ///
  /// - Parameters:
  ///   - shape: [1], with any number of axes of size 1.
  ///   - activation: `none` if the number is a probability, or `sigmoid` if it is a logit.
  /// - Throws: ``DecodingError`` if the shape or the activation is another.
  package init(shape: [Int], activation: BoxActivation = .none) throws {
    axes = try TensorAxes(shape, 1, of: "scores", expected: "[1]")
    guard axes.count == 1 else {
      throw DecodingError(
        "It has \(axes.count) values, but two classes are decided by one. Give an output with a "
          + "value for each class \"labels\" instead of \"decode\".")
    }
    guard activation != .softmax else {
      throw DecodingError(
        "A single score can't have the activation 'softmax'. Use 'sigmoid' if it is a logit, or "
          + "'none' if it is a probability.")
    }
    self.activation = activation
  }

  /// Returns both classes with their scores, which add up to 1, in descending order of the scores.
  ///
  /// - Throws: ``DecodingError`` if the number is NaN or isn't a probability, or if there isn't
  ///   exactly one.
  package func decode(_ values: Span<Float>) throws -> [ScoredIndex] {
    let scores = try scores(values)
    return scores.enumerated().map { ScoredIndex(index: $0, score: $1) }.best(2)
  }

  private func scores(_ values: Span<Float>) throws -> [Float] {
    try axes.check(values)
    let value = values[0]
    guard !value.isNaN else {
      throw DecodingError("The score is NaN. Check the model and its input.")
    }
    // The first one isn't 1 minus the second one, which is 0 for logits from 17 on.
    if activation == .sigmoid { return [activation.score(-value), activation.score(value)] }
    guard (0...1).contains(value) else {
      throw DecodingError(
        "The score is \(value), but a probability is from 0 to 1. If it is a logit, set "
          + "\"activation\" to \"sigmoid\".")
    }
    return [1 - value, value]
  }
}
