// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Text that a model read or wrote.
package struct DecodedText: Sendable, Equatable {
  package var text: String
  /// The indices in the vocabulary of the symbols that the text is made of.
  package var symbols: [Int]
  /// The probability of the whole sequence; nil if the model returns only symbols.
  package var score: Float?

  package init(text: String, symbols: [Int], score: Float? = nil) {
    self.text = text
    self.symbols = symbols
    self.score = score
  }
}
