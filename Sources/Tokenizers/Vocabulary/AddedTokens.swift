// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Tokens that are found in the text before the model splits it, such as `[MASK]`.
struct AddedTokens {
  struct Token {
    var content: [UInt8]
    var isSingleWord = false
    var stripsLeft = false
    var stripsRight = false
    var isNormalized = false
    var isSpecial = false
    fileprivate var index: Int32 = 0
    /// What normalizers make of the content.
    fileprivate var text: [UInt8] = []

    init(special content: [UInt8]) {
      self.content = content
      isSpecial = true
    }
  }

  private let tokens: [Token]
  /// The position in ``tokens`` of each index.
  private let places: PairTable
  private let contents: TokenTrie
  /// The tokens that are found before and after normalizers change the text.
  private let plain: TokenTrie
  private let normalized: TokenTrie

  /// Adds tokens; those that the model doesn't have get the indices after its tokens.
  init(_ added: [Token], _ vocabulary: Vocabulary, _ normalizer: Normalizer?) throws {
    var texts = TokenList()
    for token in added { try texts.append(token.content) }
    let all = TokenTrie(texts, Array(0..<Int32(added.count)))
    var tokens: [Token] = []
    var next = Int32(vocabulary.count)
    var known: [Int32] = Array(repeating: -1, count: added.count)
    for (place, token) in added.enumerated() where !token.content.isEmpty {
      // If a token occurs twice, the last one counts, but its index is that of the first one.
      let last = Int(all.token(token.content, 0..<token.content.count) ?? 0)
      if known[last] < 0 {
        let index = vocabulary.id(of: token.content)
        known[last] = index ?? next
        if index == nil { next += 1 }
      }
      guard place == last else { continue }
      var token = token
      token.index = known[last]
      token.text = token.content
      if token.isNormalized, let normalizer {
        var text = NormalizedText(bytes: token.content, isStart: true)
        try normalizer.normalize(&text)
        token.text = text.bytes
      }
      tokens.append(token)
    }
    self.tokens = tokens
    var indices: [UInt64] = []
    for token in tokens { indices.append(UInt64(UInt32(bitPattern: token.index))) }
    places = PairTable(indices, Array(0..<Int32(tokens.count)))
    contents = try Self.trie(tokens, isNormalized: nil)
    plain = try Self.trie(tokens, isNormalized: false)
    normalized = try Self.trie(tokens, isNormalized: true)
  }

  /// Makes a trie of the texts that are found at one time, or of what the file has.
  private static func trie(_ tokens: [Token], isNormalized: Bool?) throws -> TokenTrie {
    var texts = TokenList()
    var places: [Int32] = []
    // If normalizers make the same text of two tokens, the last one counts; Python takes any.
    for place in 0..<tokens.count
    where tokens[place].isNormalized == isNormalized ?? tokens[place].isNormalized {
      try texts.append(isNormalized == nil ? tokens[place].content : tokens[place].text)
      places.append(Int32(place))
    }
    return TokenTrie(texts, places)
  }

  /// The index of a token.
  func id(of text: [UInt8]) -> Int32? {
    contents.token(text, 0..<text.count).map { tokens[Int($0)].index }
  }

  /// The text of a token, as normalizers change it.
  func text(of id: Int32) -> [UInt8]? {
    places[0, UInt32(bitPattern: id)].map { tokens[Int($0)].text }
  }

  /// Whether the text is that of a special token.
  func isSpecial(_ text: [UInt8]) -> Bool {
    contents.token(text, 0..<text.count).map { tokens[Int($0)].isSpecial } ?? false
  }

  /// Splits a text into added tokens with their index and the text between them, which has none.
  ///
  /// It finds either the tokens that normalizers can change or the others.
  func split(_ text: [UInt8], isNormalized: Bool) -> [(token: Int32?, range: Range<Int>)] {
    var parts: [(token: Int32?, range: Range<Int>)] = []
    let trie = isNormalized ? normalized : plain
    var last = 0
    var start = trie.count > 0 ? 0 : text.count
    // Where the last white space ends, which tokens of white space would search again.
    var spaces = 0
    while start < text.count {
      guard let found = trie.longest(text, start..<text.count) else {
        start += 1
        continue
      }
      let token = tokens[Int(found.token)]
      let match = start..<found.end
      start = found.end
      if token.isSingleWord, !Self.isWord(text, match) { continue }
      var (low, high) = (match.lowerBound, match.upperBound)
      while token.stripsLeft, low > last {
        let before = text.scalarStart(before: low)
        guard ScalarClass.of(text.scalar(at: before).value).contains(.whitespace) else { break }
        low = before
      }
      // Python drops a token that the one before it stripped.
      if token.stripsLeft { low = max(low, last) }
      if token.stripsRight {
        high = max(high, spaces)
        while high < text.count {
          let scalar = text.scalar(at: high)
          guard ScalarClass.of(scalar.value).contains(.whitespace) else { break }
          high += scalar.length
        }
        spaces = high
      }
      if last < low { parts.append((nil, last..<low)) }
      if low < high { parts.append((token.index, low..<high)) }
      last = high
    }
    if last < text.count { parts.append((nil, last..<text.count)) }
    return parts
  }

  /// Whether no character of a word is beside a range.
  private static func isWord(_ text: [UInt8], _ range: Range<Int>) -> Bool {
    if range.lowerBound > 0 {
      let before = text.scalar(at: text.scalarStart(before: range.lowerBound)).value
      if ScalarClass.of(before).contains(.word) { return false }
    }
    guard range.upperBound < text.count else { return true }
    return !ScalarClass.of(text.scalar(at: range.upperBound).value).contains(.word)
  }
}

extension AddedTokens.Token {
  /// Reads an element of `added_tokens`.
  init(_ element: JSONElement) throws {
    content = try element.required("content").bytes()
    isSingleWord = try element.bool("single_word")
    stripsLeft = try element.bool("lstrip")
    stripsRight = try element.bool("rstrip")
    isNormalized = try element.bool("normalized")
    isSpecial = try element.bool("special")
  }
}
