// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The differences between true and predicted texts: what remains equal, and what must be changed
/// in the truth to get the prediction.
///
/// Counts of several texts are added, so that the rates are those of the whole corpus, as in jiwer.
/// Often, several shortest lists of changes exist, which differ in the numbers of substitutions,
/// deletions and insertions, but not in their sum. The choice is jiwer's for texts of usual length.
package struct EditCounts: Sendable, Hashable, Codable {
  /// The number of tokens that are equal.
  package private(set) var hits: Int
  package private(set) var substitutions: Int
  /// The number of tokens that are missing in the prediction.
  package private(set) var deletions: Int
  /// The number of tokens that only the prediction has.
  package private(set) var insertions: Int
  /// The number of pairs of texts.
  package private(set) var pairs: Int
  /// The number of pairs without a difference.
  package private(set) var exactPairs: Int

  /// Creates counts, without texts by default.
  package init(
    hits: Int = 0, substitutions: Int = 0, deletions: Int = 0, insertions: Int = 0, pairs: Int = 0,
    exactPairs: Int = 0
  ) {
    self.hits = hits
    self.substitutions = substitutions
    self.deletions = deletions
    self.insertions = insertions
    self.pairs = pairs
    self.exactPairs = exactPairs
  }

  package static func += (left: inout EditCounts, right: EditCounts) {
    left.hits &+= right.hits
    left.substitutions &+= right.substitutions
    left.deletions &+= right.deletions
    left.insertions &+= right.insertions
    left.pairs &+= right.pairs
    left.exactPairs &+= right.exactPairs
  }

  /// The number of tokens in the true texts.
  package var truths: Int { hits &+ substitutions &+ deletions }
  package var errors: Int { substitutions &+ deletions &+ insertions }

  /// The number of errors divided by the number of true tokens, or nil if there are none.
  ///
  /// It is more than 1 if the predictions are long. For words, it is the word error rate (WER). For
  /// characters, it is the character error rate (CER).
  package var errorRate: Double? { truths > 0 ? Double(errors) / Double(truths) : nil }

  /// The share of the pairs without a difference, or nil without pairs.
  package var exactShare: Double? { pairs > 0 ? Double(exactPairs) / Double(pairs) : nil }
}
