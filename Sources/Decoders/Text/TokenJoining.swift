// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// How tokens become text.
package enum TokenJoining: String, Sendable, CaseIterable {
  /// Tokens follow each other.
  case none = ""
  /// A space is between two tokens.
  case spaces = " "
  /// A space is between two tokens, unless the second starts with "##", which is left out.
  case wordpiece
  /// Tokens follow each other. U+2581 stands for a space, and spaces at the start are left out.
  case sentencepiece

  /// Returns the text of tokens.
  package func text(_ tokens: [String]) -> String {
    switch self {
    case .none: return tokens.joined()
    case .spaces: return tokens.joined(separator: " ")
    case .wordpiece:
      var text = tokens.first ?? ""
      for token in tokens.dropFirst() {
        if token.hasPrefix("##") { text += token.dropFirst(2) } else { text += " " + token }
      }
      return text
    case .sentencepiece:
      // Scalars, because a mark that follows U+2581 would make it another character.
      let space: Unicode.Scalar = " "
      var scalars = String.UnicodeScalarView()
      for scalar in tokens.joined().unicodeScalars {
        let isSpace = scalar == "\u{2581}" || scalar == space
        if !isSpace || !scalars.isEmpty { scalars.append(isSpace ? space : scalar) }
      }
      return String(scalars)
    }
  }
}
