// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The tokens of a model and their indices.
///
/// It's a class, like ``TokenTrie``, because models refer to it for each word.
final class Vocabulary: Sendable {
  /// The largest index of a token.
  static let mostIndex = 4_194_303

  let trie: TokenTrie
  /// The index of the first token that is added to the vocabulary.
  let count: Int
  private let texts: TokenList
  /// The place in `texts` of each index, or -1.
  private let places: [Int32]

  /// Makes a vocabulary of texts and their indices.
  ///
  /// If a text or an index occurs twice, the last one counts.
  ///
  /// With duplicates, ``count`` is the number of all texts, not of different ones.
  init(_ texts: TokenList, _ indices: [Int32], hasDuplicates: Bool = false) {
    self.texts = texts
    trie = TokenTrie(texts, indices)
    count = hasDuplicates ? texts.count : trie.count
    var most: Int32 = -1
    for index in indices { most = max(most, index) }
    var places: [Int32] = Array(repeating: -1, count: Int(most) + 1)
    for place in 0..<indices.count { places[Int(indices[place])] = Int32(place) }
    self.places = places
  }

  /// Reads an object whose members are tokens with their index.
  convenience init(_ element: JSONElement) throws {
    var texts = TokenList()
    var indices: [Int32] = []
    try element.forEachMember { name, value in
      try texts.append(name)
      indices.append(Int32(try value.integer()))
    }
    self.init(texts, indices)
  }

  /// Reads a file with a token on each line.
  convenience init(lines bytes: [UInt8], file: String) throws {
    guard bytes.count <= JSONTree.mostBytes, String(validating: bytes, as: UTF8.self) != nil else {
      throw TokenizerError(
        "\(file) has more than 128 MiB or isn't UTF-8. Check that it's a vocabulary.")
    }
    var texts = TokenList()
    var start = 0
    while start < bytes.count {
      var end = start
      while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
      var last = end
      while last > start {
        let before = bytes.scalarStart(before: last)
        guard ScalarClass.of(bytes.scalar(at: before).value).contains(.whitespace) else { break }
        last = before
      }
      // A line of white space isn't skipped, because it has an index, too.
      try texts.append(bytes, start..<max(last, start))
      start = end + 1
    }
    self.init(texts, Array(0..<Int32(texts.count)))
  }

  /// Returns the index of a token, or nil if the vocabulary doesn't have it.
  func id(of text: [UInt8]) -> Int32? { trie.token(text, 0..<text.count) }

  /// The text of a token.
  func text(of id: Int32) -> [UInt8]? {
    guard id >= 0, Int(id) < places.count, places[Int(id)] >= 0 else { return nil }
    return texts[Int(places[Int(id)])]
  }

  /// The tokens of bytes, such as `<0x0A>`, or -1 for those that the vocabulary doesn't have.
  func byteTokens() -> [Int32] {
    let digits = Array("0123456789ABCDEF".utf8)
    var tokens: [Int32] = []
    for byte in 0..<256 {
      let text: [UInt8] = [60, 48, 120, digits[byte >> 4], digits[byte & 15], 62]
      tokens.append(id(of: text) ?? -1)
    }
    return tokens
  }

  /// Appends the tokens of a text's bytes; returns whether there is one for each.
  static func append(
    _ byteTokens: [Int32], of text: [UInt8], _ range: Range<Int>, to result: inout [Int32]
  ) -> Bool {
    guard !byteTokens.isEmpty else { return false }
    for index in range where byteTokens[Int(text[index])] < 0 { return false }
    for index in range { result.append(byteTokens[Int(text[index])]) }
    return true
  }
}
