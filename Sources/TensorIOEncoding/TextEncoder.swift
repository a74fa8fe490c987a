// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TensorIO
import Tokenizers

/// Divides texts into tokens, for all inputs of a model that have the same tokenizer.
///
/// A model often has three inputs for a text: the indices of its tokens, the mask and the types. The
/// encoder keeps the tokens of short texts, so that each text is divided only once for them.
final class TextEncoder: Sendable {
  private struct Result {
    let input: TextInput
    let options: Tokenizer.Options
    let tokens: TokenizedText
  }

  private let tokenizer: Tokenizer
  /// The last results, of which the newest is the last.
  private let recent = Mutex<[Result]>([])

  /// How many results are kept, which is enough for as many texts that are encoded at the same time.
  private static let mostResults = 8
  /// The most bytes of a text whose tokens are kept.
  private static let mostBytes = 64 << 10

  /// Reads the tokenizer of a layer.
  init(_ coding: LayerCoding) throws {
    guard let file = try coding.file("tokenizer") else {
      throw TensorIOError(.invalidBundle, "The layer doesn't name a tokenizer.")
    }
    do {
      tokenizer = try Tokenizer(
        file.bytes, name: file.path, lowercases: coding.flag("lowercase") ?? true)
    } catch let error as TokenizerError {
      throw TensorIOError(.invalidBundle, "'\(file.path)': \(error.message)", cause: error)
    }
  }

  func encode(_ input: TextInput, options: Tokenizer.Options) throws -> TokenizedText {
    let known = recent.withLock { recent in
      recent.last { $0.options == options && Self.areSame($0.input, input) }
    }
    if let known { return known.tokens }
    let tokens = try tokenizer.encode(input.text, input.second, options: options)
    if input.text.utf8.count + (input.second?.utf8.count ?? 0) <= Self.mostBytes {
      let result = Result(input: input, options: options, tokens: tokens)
      recent.withLock { recent in
        if recent.count == Self.mostResults { recent.removeFirst() }
        recent.append(result)
      }
    }
    return tokens
  }

  /// Whether inputs are equal byte by byte.
  ///
  /// In equal strings, "é" may be one character or two, which have different tokens.
  static func areSame(_ left: TextInput, _ right: TextInput) -> Bool {
    func areSame(_ left: String, _ right: String) -> Bool {
      left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8)
    }
    guard areSame(left.text, right.text) else { return false }
    guard let one = left.second, let other = right.second else {
      return left.second == nil && right.second == nil
    }
    return areSame(one, other)
  }
}
