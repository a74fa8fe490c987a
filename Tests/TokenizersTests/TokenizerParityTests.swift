// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Tokenizers

/// Tokenizers that Python trains give the same tokens as in Python.
@Suite(.enabled(if: TokenizerPeer.isThere, TokenizerPeer.reason))
struct TokenizerParityTests {
  /// The number of lines; more take long without optimization.
  static let count = Int(ProcessInfo.processInfo.environment["TOKENIZER_LINES"] ?? "") ?? 500

  @Test(arguments: [
    "bert_uncased", "bert_cased", "byte_level", "sentencepiece_bpe", "sentencepiece_unigram",
    "char_bpe", "llama", "qwen", "xlm", "word_level", "metaspace_first",
  ])
  func `text has the tokens that Python finds`(name: String) async throws {
    let peer: PeerEncoding = try await TokenizerPeer.run(
      "parity", ["name": name, "seed": 20, "count": 1_000, "lines": Self.count])
    let tokenizer = try Tokenizer(json: Array(try #require(peer.tokenizer).utf8))
    let lines = try #require(peer.lines)
    var differences: [String] = []
    for (index, line) in lines.enumerated() {
      let text = try tokenizer.encode(line)
      if let difference = peer.difference(text, at: index) { differences.append(difference) }
      let decoded = try tokenizer.decode(text.ids)
      if !decoded.utf8.elementsEqual(peer.decoded[index].utf8) {
        differences.append("'\(decoded)' instead of '\(peer.decoded[index])'")
      }
    }
    #expect(differences.isEmpty, "\(differences.count), such as: \(differences.prefix(3))")
    #expect(lines.count == Self.count)
  }

  @Test func `BERT's vocabulary gives the tokens of its tokenizer`() async throws {
    let json: String = try await TokenizerPeer.run(
      "train", ["name": "bert_uncased", "seed": 30, "count": 500])
    let lines = try await TokenizerPeer.lines(200, seed: 31)
    let peer: PeerEncoding = try await TokenizerPeer.run(
      "encode",
      [
        "tokenizer": json, "lines": lines, "truncation": ["max_length": 24],
        "padding": ["length": 24],
      ])
    let vocabulary = try JSONElement(text: json).required("model").required("vocab")
    var tokens: [(text: [UInt8], index: Int)] = []
    try vocabulary.forEachMember { tokens.append(($0, try $1.integer())) }
    tokens.sort { $0.index < $1.index }
    let file = tokens.flatMap { $0.text + Array("\r\n".utf8) }
    let tokenizer = try Tokenizer(bertVocabulary: file)
    let options = Tokenizer.Options(maximumLength: 24, fixedLength: 24)
    for (index, line) in lines.enumerated() {
      let difference = peer.difference(try tokenizer.encode(line, options: options), at: index)
      #expect(difference == nil)
    }
  }

  static let strategies = [
    ("longest_first", "LongestFirst"), ("only_first", "OnlyFirst"), ("only_second", "OnlySecond"),
  ]

  @Test(arguments: ["bert_cased", "byte_level", "qwen", "xlm", "char_bpe"])
  func `pairs are shortened and extended as in Python`(name: String) async throws {
    let json: String = try await TokenizerPeer.run(
      "train", ["name": name, "seed": 40, "count": 300])
    let lines = try await TokenizerPeer.lines(60, seed: 41)
    let others = try await TokenizerPeer.lines(60, seed: 42)
    for (strategy, word) in Self.strategies {
      for (isLeft, length) in [(false, 160), (true, 161), (false, 40)] {
        if strategy != "longest_first", length < 100 { continue }
        // The other text must be short, because it can't lose tokens.
        func text(_ line: String, isLong: Bool) -> String {
          if strategy == "longest_first" { return line }
          return isLong ? "x " + String(repeating: line, count: 5) : String(line.prefix(20))
        }
        let firsts = lines.map { text($0, isLong: strategy == "only_first") }
        let pairs = others.map { text($0, isLong: strategy == "only_second") }
        let side = isLeft ? "left" : "right"
        let peer: PeerEncoding = try await TokenizerPeer.run(
          "encode",
          [
            "tokenizer": json, "lines": firsts, "pairs": pairs, "special": length != 161,
            "truncation": ["max_length": length, "strategy": strategy, "direction": side],
            "padding": [
              "pad_id": 7, "pad_type_id": 3, "direction": side, "pad_to_multiple_of": 8,
            ],
          ])
        let parts = #"""
          {"truncation": {"max_length": \#(length), "strategy": "\#(word)", "stride": 0,
           "direction": "\#(side.capitalized)"},
           "padding": {"strategy": "BatchLongest", "direction": "\#(side.capitalized)",
           "pad_to_multiple_of": 8, "pad_id": 7, "pad_type_id": 3, "pad_token": "x"},
          """#
        // A member that comes later counts, so that the null must go.
        let plain = json.replacing("\"truncation\":null,", with: "")
          .replacing("\"padding\":null,", with: "")
        let tokenizer = try Tokenizer(json: Array((parts + plain.dropFirst()).utf8))
        let options = Tokenizer.Options(addsSpecialTokens: length != 161)
        for index in firsts.indices {
          let text = try tokenizer.encode(firsts[index], pairs[index], options: options)
          #expect(peer.difference(text, at: index) == nil)
        }
      }
    }
  }
}
