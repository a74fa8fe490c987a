// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Reads text from a recognizer that was trained with connectionist temporal classification.
///
/// The best symbol of each step counts. Equal symbols in a row are one symbol, and the blank, which
/// separates equal symbols, is left out.
package struct CTCDecoder: Sendable {
  private let axes: TensorAxes
  private let symbols: [String]
  private let blank: Int
  private let activation: BoxActivation

  /// Prepares for the scores of symbols.
  ///
  /// - Parameters:
  ///   - shape: [steps, symbols], with any number of axes of size 1.
  ///   - symbols: The text of each symbol, with or without the blank.
  ///   - blank: The index of the blank; nil for the last symbol.
  ///   - activation: `softmax`, or `none` for scores that are probabilities.
  /// - Throws: ``DecodingError`` if the shape or the number of symbols is another.
  package init(
    shape: [Int], symbols: [String], blank: Int? = nil, activation: BoxActivation = .softmax
  ) throws {
    axes = try TensorAxes(shape, 2, of: "scores", expected: "[steps, symbols]")
    let count = axes.sizes[1]
    guard symbols.count == count || symbols.count == count - 1 else {
      throw DecodingError(
        "The alphabet has \(symbols.count) symbols, but the output has scores of \(count). It must "
          + "have a line for each score, and can leave out the blank.")
    }
    let blank = blank ?? count - 1
    guard (0..<count).contains(blank) else {
      throw DecodingError(
        "The blank has the index \(blank), but the output has scores of \(count) symbols. Use an "
          + "index from 0 to \(count - 1).")
    }
    guard activation != .sigmoid else {
      throw DecodingError(
        "The scores of symbols can't have the activation 'sigmoid'. Use 'softmax' or 'none'.")
    }
    var all = symbols
    if symbols.count < count { all.insert("", at: blank) }
    self.symbols = all
    self.blank = blank
    self.activation = activation
  }

  /// Returns the text of the most probable sequence of steps.
  ///
  /// The score is the product of the probabilities of all steps, blanks included, as in TensorFlow's
  /// `ctc_greedy_decoder`. The indices of symbols count the blank.
  ///
  /// - Throws: ``DecodingError`` if all scores of a step are NaN, or if the tensor has another size.
  package func decode(_ scores: Span<Float>) throws -> DecodedText {
    try axes.check(scores)
    let count = axes.sizes[1]
    var indices: [Int] = []
    var score = 1.0
    var last = blank
    for step in 0..<axes.sizes[0] {
      guard let best = scores.greatest(from: step * count, count: count) else {
        throw DecodingError("All scores of step \(step) are NaN. Check the model and its input.")
      }
      score *= scores.probability(
        of: best.value, from: step * count, count: count, activation)
      if best.index != last, best.index != blank { indices.append(best.index) }
      last = best.index
    }
    return DecodedText(
      text: indices.map { symbols[$0] }.joined(), symbols: indices, score: Float(score))
  }
}
