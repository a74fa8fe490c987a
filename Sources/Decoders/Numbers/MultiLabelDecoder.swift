// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Finds the labels that describe an input, of which any number can apply.
package struct MultiLabelDecoder: Sendable {
  private let axes: TensorAxes
  private let activation: BoxActivation
  private let threshold: Float
  private let top: Int

  /// Prepares for the scores of a number of labels.
  ///
  /// - Parameters:
  ///   - shape: [labels], with any number of axes of size 1.
  ///   - activation: `sigmoid` or `none`.
  ///   - threshold: The least score of a label that applies.
  ///   - top: The most labels.
  /// - Throws: ``DecodingError`` if the shape or the activation is another.
  package init(
    shape: [Int], activation: BoxActivation = .none, threshold: Float = 0.5, top: Int = .max
  ) throws {
    axes = try TensorAxes(shape, 1, of: "scores", expected: "[labels]")
    guard activation != .softmax else {
      throw DecodingError(
        "The scores of labels that don't exclude each other can't have the activation 'softmax'. "
          + "Use 'sigmoid', or 'none' if the scores are probabilities.")
    }
    self.activation = activation
    self.threshold = threshold
    self.top = top
  }

  /// Returns the labels whose scores are at least the threshold, in descending order of the scores.
  ///
  /// Labels with equal scores are in the order of the tensor. A score that is NaN is left out.
  ///
  /// - Throws: ``DecodingError`` if all scores are NaN, or if the tensor has another size.
  package func decode(_ values: Span<Float>) throws -> [ScoredIndex] {
    try axes.check(values)
    guard values.greatest(count: axes.count) != nil else {
      throw DecodingError("All scores are NaN. Check the model and its input.")
    }
    var found: [ScoredIndex] = []
    for index in 0..<axes.count {
      let score = activation.score(values[index])
      if score >= threshold { found.append(ScoredIndex(index: index, score: score)) }
    }
    return found.best(top)
  }
}
