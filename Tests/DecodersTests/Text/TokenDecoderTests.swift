// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import Testing

struct TokenDecoderTests {
  private static let words = ["[PAD]", "un", "##believ", "##able", "[SEP]", "story", "##", "a"]

  private func text(
    _ ids: [Float], vocabulary: [String] = words, end: String? = nil, skip: [String] = [],
    _ joining: TokenJoining = .wordpiece
  ) throws -> DecodedText {
    try TokenDecoder(
      shape: [ids.count], vocabulary: vocabulary, end: end, skip: skip, joining: joining
    ).decode(ids.span)
  }

  @Test func `indices become text up to the end, without skipped tokens`() throws {
    let ids: [Float] = [0, 1, 2, 3, 0, 5, 4, 7, 99]
    let found = try text(ids, end: "[SEP]", skip: ["[PAD]"])
    #expect(found == DecodedText(text: "unbelievable story", symbols: [1, 2, 3, 5]))
    #expect(try text([4, 1], end: "[SEP]").text.isEmpty)
    #expect(try text([5, -1, 7, -1], .spaces).text == "story a")
  }

  @Test(arguments: [
    (TokenJoining.none, ["a", "b ", "c"], "ab c"), (.spaces, ["a", "b", "##c"], "a b ##c"),
    (.wordpiece, ["##a", "##b", "c", "##", "##d"], "##ab cd"), (.wordpiece, [], ""),
    (.sentencepiece, ["\u{2581}Hi", "\u{2581}you", "r", "s"], "Hi yours"),
    (.sentencepiece, ["\u{2581}", "\u{2581}a\u{2581}"], "a "), (.sentencepiece, ["a"], "a"),
    (.sentencepiece, ["a", "\u{2581}\u{301}b"], "a \u{301}b"),
  ])
  func `tokens are joined`(joining: TokenJoining, tokens: [String], expected: String) {
    #expect(Array(joining.text(tokens).unicodeScalars) == Array(expected.unicodeScalars))
  }

  @Test func `the best token of each step counts, and the score is the product`() throws {
    let scores: [Float] = [
      0, 0.5, 0.5, 0, 0, 0, 0, 0,
      0, 0, 0, 0.25, .nan, 0, 0, 0,
      0, 0, 0, 0, 0.5, 0, 0, 0,
      .nan, .nan, .nan, .nan, .nan, .nan, .nan, .nan,
    ]
    func decoder(_ end: String?) throws -> TokenDecoder {
      try TokenDecoder(
        shape: [1, 4, 8], vocabulary: Self.words, end: end, joining: .wordpiece, activation: .none)
    }
    let found = try decoder("[SEP]").decode(scores.span)
    #expect(found == DecodedText(text: "unable", symbols: [1, 3], score: 0.0625))
    let error = #expect(throws: DecodingError.self) { try decoder(nil).decode(scores.span) }
    #expect(error?.message.contains("step 3") == true)
  }

  @Test func `the vocabulary decides whether a row is indices or scores`() throws {
    let row: [Float] = [0, 1, 7, 2]
    let ids = try TokenDecoder(shape: [1, 4], vocabulary: Self.words, joining: .spaces)
    #expect(try ids.decode(row.span).text == "[PAD] un a ##believ")
    let scores = try TokenDecoder(shape: [1, 4], vocabulary: ["a", "b", "c", "d"])
    #expect(try scores.decode(row.span).text == "c")
  }

  @Test(arguments: [8, 1e30, .nan, 0.5, .infinity] as [Float])
  func `a token that isn't in the vocabulary is an error`(id: Float) {
    let error = #expect(throws: DecodingError.self) { try text([1, id]) }
    #expect(error?.message.contains("Step 1") == true)
  }

  @Test func `options that don't fit the vocabulary are errors`() throws {
    #expect(throws: DecodingError.self) { try text([1], vocabulary: []) }
    let error = #expect(throws: DecodingError.self) { try text([1], skip: ["[PAD]", "[UNK]"]) }
    #expect(error?.message.contains("'[UNK]'") == true)
    #expect(throws: DecodingError.self) { try text([1], end: "</s>") }
    func decoder(_ shape: [Int], _ activation: BoxActivation = .none) throws -> TokenDecoder {
      try TokenDecoder(shape: shape, vocabulary: Self.words, activation: activation)
    }
    for shape in [[4, 7], [2, 4, 8], [0], [], [1, 0, 8]] where shape != [] {
      #expect(throws: DecodingError.self) { try decoder(shape) }
    }
    #expect(throws: DecodingError.self) { try decoder([4, 8], .sigmoid) }
    let values: [Float] = [1, 2]
    #expect(throws: DecodingError.self) { try decoder([3]).decode(values.span) }
  }

  @Test(.enabled(if: PointPeer.isThere, PointPeer.reason))
  func `two thousand tensors give the text of Python`() async throws {
    let pieces = [
      "[PAD]", "[SEP]", "a", "##a", "##", "\u{2581}b", "c\u{2581}", "d", "\u{2581}", "#", "\u{e9}",
    ]
    let pairs = try await PointPeer.compare("tokens", count: 2_000) { random in
      let hasScores = random.unit() < 0.5
      let vocabulary = Array(pieces.prefix(random.pick([4, 8, 11])))
      let (steps, count) = (random.pick([1, 3, 12]), vocabulary.count)
      let joining = random.pick(TokenJoining.allCases)
      let activation = random.pick([.none, .softmax] as [BoxActivation])
      let end = random.pick([nil, "[SEP]"])
      let skip = random.pick([[], ["[PAD]"], ["a", "##"]]).filter(vocabulary.contains)
      let shape = hasScores ? [steps, count] : [steps]
      var values = (0..<shape.reduce(1, *)).map { _ -> Float in
        if hasScores { return activation == .softmax ? random.number(-4...4) : random.unit() }
        return Float(Int(random.next() % UInt64(count + 1)) - 1)
      }
      if hasScores, random.unit() < 0.1 { random.spoil(&values, count: 2) }
      let decoder = try TokenDecoder(
        shape: shape, vocabulary: vocabulary, end: end, skip: skip, joining: joining,
        activation: activation)
      return (
        [
          "tensor": .tensor(values, shape), "vocabulary": .texts(vocabulary),
          "scores": .flag(hasScores), "end": end.map { .text($0) } ?? .null, "skip": .texts(skip),
          "join": .text(joining.rawValue), "activation": .text(activation.rawValue),
        ], try PointPeer.result { try decoder.decode(values.span) }
      )
    }
    var gap = PointGap()
    for (found, answer) in pairs {
      if found.text != answer.text || found.symbols != answer.symbols {
        Issue.record("'\(found.text)' isn't '\(answer.text ?? "")'")
      }
      if let score = found.score {
        gap.compare([score], [answer.score])
      } else if answer.score != nil {
        Issue.record("'\(found.text)' has no score")
      }
    }
    #expect(gap.count > pairs.count / 3)
    #expect(gap.absolute <= 1e-6)
  }
}
