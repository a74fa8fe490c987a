// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

/// What a column of an input of the type `features` takes, for a form that asks for it.
package struct FeatureColumn: Sendable, Hashable {
  package let name: String
  /// The first words that it takes, in order; nil if it takes numbers.
  package let words: [String]?
  /// Whether it takes more words than those.
  package let hasMoreWords: Bool
  /// A value to begin with: the one for missing cells, the mean, the middle of the range, or the first
  /// word.
  package let typical: JSONValue
  /// Whether every row must have it.
  ///
  /// A column with a value for missing cells is optional.
  package let isRequired: Bool

  /// The most words that are listed.
  static let mostWords = 1000
}

extension TensorSpec {
  /// Returns the columns of an input of the type `features`.
  ///
  /// - Throws: `TensorIOError` if this is another input, or if a vocabulary can't be read.
  package func featureColumns() throws -> [FeatureColumn] {
    let coding = try coding("features", for: FeatureRow.self)
    return try coding.prepared { try FeatureEncoder(coding) }.columnsTaken
  }
}
