// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Reads text from the tokens that a model returns, or from scores of all tokens for each step.
package struct TokenDecoder: Sendable {
  private let axes: TensorAxes
  private let vocabulary: [String]
  private let ends: Set<Int>
  private let skipped: Set<Int>
  private let joining: TokenJoining
  private let activation: BoxActivation
  private let hasScores: Bool

  /// Prepares for tokens.
  ///
  /// - Parameters:
  ///   - shape: [steps] for indices of tokens, or [steps, tokens] for scores, with any number of axes
  ///     of size 1. A shape such as [1, 8] is scores if the vocabulary has 8 tokens.
  ///   - vocabulary: The text of each token.
  ///   - end: The token that ends the text; nil if only the tensor does.
  ///   - skip: Tokens that are left out.
  ///   - joining: How tokens become text.
  ///   - activation: What makes probabilities of scores: `softmax`, or `none`.
  /// - Throws: ``DecodingError`` if the shape doesn't fit the vocabulary, or if the vocabulary
  ///   doesn't have a token.
  package init(
    shape: [Int], vocabulary: [String], end: String? = nil, skip: [String] = [],
    joining: TokenJoining = .none, activation: BoxActivation = .softmax
  ) throws {
    let others = shape.filter { $0 != 1 }
    hasScores = others.count > 1 || (shape.count > 1 && shape.last == vocabulary.count)
    axes = try TensorAxes(
      shape, hasScores ? 2 : 1, of: "tokens", expected: "[steps] or [steps, tokens]")
    guard !vocabulary.isEmpty, !hasScores || axes.sizes[1] == vocabulary.count else {
      throw DecodingError(
        "The vocabulary has \(vocabulary.count) tokens, but the output has the shape \(shape). It "
          + "must have a line for each token.")
    }
    guard activation != .sigmoid else {
      throw DecodingError(
        "The scores of tokens can't have the activation 'sigmoid'. Use 'softmax' or 'none'.")
    }
    func indices(_ tokens: [String], _ key: String) throws -> Set<Int> {
      var missing = Set(tokens)
      var found: Set<Int> = []
      for (index, token) in vocabulary.enumerated() where tokens.contains(token) {
        found.insert(index)
        missing.remove(token)
      }
      guard let token = missing.min() else { return found }
      throw DecodingError(
        "\"\(key)\" names the token '\(token)', but the vocabulary doesn't have it. Write it as in "
          + "the vocabulary.")
    }
    ends = try indices(end.map { [$0] } ?? [], "end")
    skipped = try indices(skip, "skip")
    self.vocabulary = vocabulary
    self.joining = joining
    self.activation = activation
  }

  /// Returns the text of the best token of each step, up to the end.
  ///
  /// The score is the product of the probabilities of these steps, with those of the end and of
  /// tokens that are left out. Negative indices are padding, and are left out.
  ///
  /// - Throws: ``DecodingError`` if all scores of a step are NaN, if an index isn't in the
  ///   vocabulary, or if the tensor has another size.
  package func decode(_ values: Span<Float>) throws -> DecodedText {
    try axes.check(values)
    let count = vocabulary.count
    var symbols: [Int] = []
    var score = 1.0
    for step in 0..<axes.sizes[0] {
      var index: Int
      if hasScores {
        guard let best = values.greatest(from: step * count, count: count) else {
          throw DecodingError("All scores of step \(step) are NaN. Check the model and its input.")
        }
        index = best.index
        score *= values.probability(
          of: best.value, from: step * count, count: count, activation)
      } else {
        guard values[step] >= 0 || values[step].isNaN else { continue }
        index = Int(exactly: values[step]) ?? count
        guard index < count else {
          throw DecodingError(
            "Step \(step) has the token \(values[step]), but the vocabulary has \(count) tokens. "
              + "Check the vocabulary.")
        }
      }
      if ends.contains(index) { break }
      if !skipped.contains(index) { symbols.append(index) }
    }
    return DecodedText(
      text: joining.text(symbols.map { vocabulary[$0] }), symbols: symbols,
      score: hasScores ? Float(score) : nil)
  }
}
