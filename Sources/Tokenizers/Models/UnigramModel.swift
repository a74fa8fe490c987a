// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// SentencePiece's model, which finds the tokens with the largest sum of scores.
struct UnigramModel {
  let vocabulary: Vocabulary
  private let scores: [Double]
  private let unknownScore: Double
  private let unknown: Int32?
  private let byteTokens: [Int32]

  init(_ element: JSONElement) throws {
    var texts = TokenList()
    var scores: [Double] = []
    for pair in try element.required("vocab").elements() {
      let (token, score) = try pair.pair("a token and its score")
      try texts.append(try token.bytes())
      scores.append(try score.number())
    }
    vocabulary = Vocabulary(texts, Array(0..<Int32(texts.count)), hasDuplicates: true)
    self.scores = scores
    var least = Double.infinity
    for score in scores { least = min(least, score) }
    unknownScore = least - 10
    unknown = try element["unk_id"].map {
      guard !scores.isEmpty else { throw $0.failure("no index, because there are no tokens,") }
      return Int32(try $0.integer(most: scores.count - 1))
    }
    byteTokens = try element.bool("byte_fallback", default: false) ? vocabulary.byteTokens() : []
  }

  func tokenize(
    _ text: [UInt8], _ range: Range<Int>, _ lattice: inout UnigramLattice,
    into indices: inout [Int32]
  ) throws {
    try findBest(text, range, &lattice)
    var pieces: [(range: Range<Int>, token: Int32)] = []
    var end = range.count
    while end > 0 {
      let start = Int(lattice.starts[end])
      let token = lattice.tokens[end]
      // Neighboring unknown characters are one token.
      if token == unknown, let last = pieces.last, last.token == unknown {
        pieces[pieces.count - 1].range = start..<last.range.upperBound
      } else {
        pieces.append((start..<end, token))
      }
      end = start
    }
    while let piece = pieces.popLast() {
      guard piece.token == unknown else {
        indices.append(piece.token)
        continue
      }
      let start = range.lowerBound + piece.range.lowerBound
      let part = start..<(start + piece.range.count)
      // A vocabulary may have the characters together, but not each of them.
      if let token = vocabulary.trie.token(text, part) {
        indices.append(token)
      } else if !Vocabulary.append(byteTokens, of: text, part, to: &indices) {
        indices.append(piece.token)
      }
    }
  }

  /// Finds the best token before each index.
  private func findBest(
    _ text: [UInt8], _ range: Range<Int>, _ lattice: inout UnigramLattice
  ) throws {
    lattice.reset(count: range.count)
    let trie = vocabulary.trie
    var start = range.lowerBound
    while start < range.upperBound {
      let offset = start - range.lowerBound
      let score = lattice.scores[offset]
      let length = text.scalar(at: start).length
      var isKnown = false
      var node = TokenTrie.root
      var index = start
      while index < range.upperBound, let child = trie.child(of: node, text[index]) {
        node = child
        index += 1
        let token = trie.tokens[node]
        guard token >= 0 else { continue }
        let end = index - range.lowerBound
        lattice.offer(token, score + scores[Int(token)], offset, end)
        if index - start == length { isKnown = true }
      }
      if !isKnown {
        guard let unknown else {
          throw TokenizerError(
            "The vocabulary has no token for a character, and no `unk_id` for unknown ones.")
        }
        lattice.offer(unknown, score + unknownScore, offset, offset + length)
      }
      start += length
    }
  }
}

/// The best token that ends at each index of a text.
struct UnigramLattice {
  private(set) var tokens: [Int32] = []
  private(set) var scores: [Double] = []
  /// Where the best token starts, or -1 if no token ends here.
  private(set) var starts: [Int32] = []

  fileprivate mutating func reset(count: Int) {
    tokens.removeAll(keepingCapacity: true)
    scores.removeAll(keepingCapacity: true)
    starts.removeAll(keepingCapacity: true)
    for _ in 0...count {
      tokens.append(0)
      scores.append(0)
      starts.append(-1)
    }
  }

  @inline(__always)
  fileprivate mutating func offer(_ token: Int32, _ score: Double, _ start: Int, _ end: Int) {
    guard starts[end] < 0 || score > scores[end] else { return }
    tokens[end] = token
    scores[end] = score
    starts[end] = Int32(start)
  }
}
