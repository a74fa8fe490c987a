// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// An error about a tokenizer's files, or about a text that it can't encode.
package struct TokenizerError: Error, Equatable, CustomStringConvertible {
  /// What was expected, what was found, and how to fix it.
  package let message: String

  init(_ message: String) { self.message = message }

  package var description: String { message }

  /// An error about a part that a file names, but this module doesn't have.
  static func unsupported(_ what: String, _ name: String, _ supported: [String]) -> Self {
    let names = supported.joined(separator: ", ")
    return Self("The " + what + " '" + name + "' isn't supported. Supported are: " + names + ".")
  }
}
