// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// BERT's model, which takes the longest token again and again, or only whole words.
struct WordPieceModel {
  let vocabulary: Vocabulary
  /// The text before tokens that continue a word.
  let prefix: [UInt8]
  private let unknownText: String
  private let unknown: Int32?
  /// The node of the prefix; nil if no token has it, or if tokens are whole words.
  private let continuation: Int?
  private let mostCharacters: Int

  init(
    _ vocabulary: Vocabulary, unknown: String = "[UNK]", prefix: [UInt8] = Array("##".utf8),
    mostCharacters: Int = 100, hasOnlyWords: Bool = false
  ) {
    self.vocabulary = vocabulary
    self.prefix = prefix
    unknownText = unknown
    self.unknown = vocabulary.id(of: Array(unknown.utf8))
    continuation = hasOnlyWords ? nil : vocabulary.trie.node(of: prefix, 0..<prefix.count)
    self.mostCharacters = mostCharacters
  }

  /// Reads a model, or one of type `WordLevel`.
  init(_ element: JSONElement, hasOnlyWords: Bool = false) throws {
    let vocabulary = try Vocabulary(element.required("vocab"))
    let unknown = try element.required("unk_token").text()
    guard !hasOnlyWords else {
      self.init(vocabulary, unknown: unknown, mostCharacters: .max, hasOnlyWords: true)
      return
    }
    self.init(
      vocabulary, unknown: unknown,
      prefix: try element.required("continuing_subword_prefix").bytes(),
      mostCharacters: try element.required("max_input_chars_per_word").integer(most: .max))
  }

  func tokenize(_ text: [UInt8], _ range: Range<Int>, into indices: inout [Int32]) throws {
    let count = indices.count
    var start = range.lowerBound
    var characters = range.count
    if characters > mostCharacters {
      characters = 0
      for index in range where text[index] & 0xC0 != 0x80 { characters += 1 }
    }
    let isShort = characters <= mostCharacters
    while isShort, start < range.upperBound {
      let node = start == range.lowerBound ? TokenTrie.root : continuation
      guard let node,
        let found = vocabulary.trie.longest(text, start..<range.upperBound, from: node)
      else { break }
      indices.append(found.token)
      start = found.end
    }
    guard !isShort || start < range.upperBound else { return }
    indices.removeLast(indices.count - count)
    guard let unknown else {
      throw TokenizerError(
        "The vocabulary has no token '\(unknownText)' for unknown words. Check `unk_token`.")
    }
    indices.append(unknown)
  }
}
