// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Byte pair encoding: a model that merges neighboring tokens, the most frequent pairs first.
struct BPEModel {
  let vocabulary: Vocabulary
  private let merges: MergeTable
  private let unknown: Int32?
  /// The name of a token that the vocabulary doesn't have.
  private let missing: String?
  /// The node of the text before each character but the first.
  private let continuation: Int?
  private let prefix: [UInt8]
  private let suffix: [UInt8]
  private let fusesUnknown: Bool
  /// The tokens of bytes for characters without a token; empty if it isn't used.
  private let byteTokens: [Int32]
  private let ignoresMerges: Bool
  /// The tokens of characters below 512, which include those of byte-level vocabularies.
  private let characterTokens: [Int32]

  init(_ element: JSONElement) throws {
    if let dropout = element["dropout"], try dropout.number() != 0 {
      throw dropout.failure("no dropout, which changes tokens at random,")
    }
    vocabulary = try Vocabulary(element.required("vocab"))
    let trie = vocabulary.trie
    let unknownText = try element["unk_token"]?.bytes()
    unknown = unknownText.flatMap(vocabulary.id)
    missing = unknown == nil ? unknownText?.text : nil
    prefix = try element["continuing_subword_prefix"]?.bytes() ?? []
    continuation = trie.node(of: prefix, 0..<prefix.count)
    suffix = try element["end_of_word_suffix"]?.bytes() ?? []
    fusesUnknown = try element.bool("fuse_unk", default: false)
    ignoresMerges = try element.bool("ignore_merges", default: false)
    byteTokens = try element.bool("byte_fallback", default: false) ? vocabulary.byteTokens() : []
    var characterTokens: [Int32] = []
    for scalar: UInt32 in 0..<512 {
      let text: [UInt8] = Array(scalar: scalar)
      characterTokens.append(trie.token(text, 0..<text.count) ?? -1)
    }
    self.characterTokens = characterTokens
    merges = try MergeTable(element.required("merges"), vocabulary, prefixCount: prefix.count)
  }

  func tokenize(
    _ text: [UInt8], _ range: Range<Int>, _ word: inout BPEWord, into indices: inout [Int32]
  ) throws {
    guard !range.isEmpty else { return }
    if ignoresMerges, let token = vocabulary.trie.token(text, range) {
      indices.append(token)
      return
    }
    word.removeAll()
    try split(text, range, into: &word)
    word.merge(merges)
    word.append(to: &indices)
  }

  /// Finds the token of each character.
  private func split(
    _ text: [UInt8], _ range: Range<Int>, into word: inout BPEWord
  ) throws {
    var hasUnknown = false
    var start = range.lowerBound
    while start < range.upperBound {
      let scalar = text.scalar(at: start)
      let end = start + scalar.length
      if let token = token(scalar.value, text, start..<end, in: range) {
        if hasUnknown { word.append(unknown) }
        hasUnknown = false
        word.append(token)
      } else if appendBytes(of: text, start..<end, in: range, to: &word) {
        // The unknown character stays pending, so that it comes after the bytes.
      } else if let missing {
        throw TokenizerError(
          "The vocabulary has no token '\(missing)' for unknown characters. Check `unk_token`.")
      } else if unknown != nil {
        if hasUnknown, !fusesUnknown { word.append(unknown) }
        hasUnknown = true
      }
      start = end
    }
    if hasUnknown { word.append(unknown) }
  }

  /// The token of a character with the text before and after it.
  @inline(__always)
  private func token(
    _ value: UInt32, _ text: [UInt8], _ range: Range<Int>, in word: Range<Int>
  ) -> Int32? {
    let isLast = range.upperBound == word.upperBound && !suffix.isEmpty
    let isFirst = range.lowerBound == word.lowerBound
    if value < 512, !isLast, isFirst || continuation == TokenTrie.root {
      let token = characterTokens[Int(value)]
      return token >= 0 ? token : nil
    }
    let trie = vocabulary.trie
    guard let start = isFirst ? TokenTrie.root : continuation else { return nil }
    guard isLast else { return trie.token(text, range, from: start) }
    return trie.node(of: text, range, from: start).flatMap {
      trie.token(suffix, 0..<suffix.count, from: $0)
    }
  }

  /// Appends the tokens of a character's bytes, and of the texts before and after it.
  private func appendBytes(
    of text: [UInt8], _ range: Range<Int>, in whole: Range<Int>, to word: inout BPEWord
  ) -> Bool {
    guard !byteTokens.isEmpty else { return false }
    var bytes = range.lowerBound > whole.lowerBound ? prefix : []
    bytes += text[range]
    if range.upperBound == whole.upperBound { bytes += suffix }
    return Vocabulary.append(byteTokens, of: bytes, 0..<bytes.count, to: &word.tokens)
  }
}
