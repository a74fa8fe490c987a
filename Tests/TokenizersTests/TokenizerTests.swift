// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Tokenizers

struct TokenizerTests {
  static let folder = Python.root.appending(path: "Tests/Fixtures/Tokenizers")

  static func file(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appending(path: name)))
  }

  struct Expected: Decodable {
    var ids: [String]
    var decoded: [String]
  }

  @Test(arguments: [
    "bert_uncased", "byte_level", "char_bpe", "llama", "qwen", "sentencepiece_unigram",
    "word_level",
  ])
  func `text has the tokens that Python found`(name: String) throws {
    let tokenizer = try Tokenizer(json: Self.file("\(name).json"))
    let lines = try JSONDecoder().decode([String].self, from: Data(Self.file("lines.json")))
    let expected = try JSONDecoder().decode(
      Expected.self, from: Data(Self.file("\(name).expected.json")))
    #expect(lines.count == 15 && expected.ids.count == 15)
    for (index, line) in lines.enumerated() {
      let found = try tokenizer.encode(line)
      let text = found.ids.map(String.init).joined(separator: " ")
      #expect(text == expected.ids[index], "\(line)")
      let decoded = try tokenizer.decode(found.ids)
      #expect(decoded.utf8.elementsEqual(expected.decoded[index].utf8))
    }
  }

  private let plain = Tokenizer.Options(addsSpecialTokens: false)

  /// A vocabulary of words.
  static let words = Array(
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\nunwanted\nrun\n##ning\n,\nhow\nare\nyou\n##s\n?\n".utf8)

  @Test func `BERT's tokens have a length, a mask and types`() throws {
    let tokenizer = try Tokenizer(bertVocabulary: Self.words)
    let options = Tokenizer.Options(maximumLength: 8, fixedLength: 8)
    let text = try tokenizer.encode("UNWANTED,running", options: options)
    #expect(text.ids == [2, 4, 7, 5, 6, 3, 0, 0])
    #expect(text.attentionMask == [1, 1, 1, 1, 1, 1, 0, 0])
    #expect(text.typeIDs == [0, 0, 0, 0, 0, 0, 0, 0])
    let pair = try tokenizer.encode(
      "How are you?", "rünning runs [SEP] x", options: options)
    #expect(pair.ids == [2, 8, 9, 3, 5, 6, 5, 3])
    #expect(pair.typeIDs == [0, 0, 0, 0, 1, 1, 1, 1])
    #expect(try tokenizer.decode([2, 4, 7, 5, 6, 3, 0, 99]) == "unwanted, running")
    #expect(try tokenizer.decode([2, 5, 6, 3], skipsSpecialTokens: false) == "[CLS] running [SEP]")
    #expect(tokenizer.id(of: "##ning") == 6)
    #expect(tokenizer.token(6) == "##ning")
    #expect(tokenizer.id(of: "no") == nil && tokenizer.token(-1) == nil)
  }

  @Test func `a word with more than 100 characters is unknown`() throws {
    let tokenizer = try Tokenizer(bertVocabulary: Self.words)
    let long = "run" + String(repeating: "s", count: 97)
    let indices = try tokenizer.encode(long, options: plain).ids
    #expect(indices == [5] + Array(repeating: 11, count: 97))
    #expect(try tokenizer.encode(long + "s", options: plain).ids == [1])
  }

  @Test func `tokens that differ only in normalization stay different`() throws {
    let json = #"""
      {"model": {"type": "WordLevel", "unk_token": "?", "vocab":
        {"?": 0, "\u00e9": 1, "e\u0301": 2, "\uf900": 3, "豈": 4, "\ud83d\ude00": 5}}}
      """#
    let tokenizer = try Tokenizer(json: Array(json.utf8))
    for (index, text) in ["é", "e\u{301}", "\u{F900}", "\u{8C48}", "😀"].enumerated() {
      #expect(try tokenizer.encode(text).ids == [Int32(index + 1)])
    }
  }

  /// The tokens are those of the package tokenizers 0.23.
  @Test(arguments: [
    ("<E> x", [2, 0]), ("x <E> x", [0, 3, 2, 0]), ("<E> <L> x", [2, 4, 3, 0]),
    ("x <E> <E> x", [0, 3, 2, 2, 0]),
  ])
  func `an added token strips white space that others then don't have`(
    text: String, expected: [Int32]
  ) throws {
    let json = #"""
      {"model": {"type": "WordLevel", "unk_token": "u", "vocab": {"x": 0, "u": 1}},
       "added_tokens": [
        {"content": "<E>", "single_word": false, "lstrip": false, "rstrip": true,
         "normalized": true, "special": false},
        {"content": " ", "single_word": false, "lstrip": true, "rstrip": false,
         "normalized": true, "special": false},
        {"content": "<L>", "single_word": false, "lstrip": true, "rstrip": false,
         "normalized": true, "special": false}]}
      """#
    #expect(try Tokenizer(json: Array(json.utf8)).encode(text).ids == expected)
  }

  @Test func `empty text has only special tokens`() throws {
    let tokenizer = try Tokenizer(bertVocabulary: Self.words)
    #expect(try tokenizer.encode("").ids == [2, 3])
    #expect(try tokenizer.encode("", options: plain) == TokenizedText())
    #expect(try tokenizer.decode([]) == "")
  }

  @Test func `unknown words need an unknown token`() throws {
    let json = #"{"model": {"type": "WordLevel", "unk_token": "?", "vocab": {"a": 0}}}"#
    let tokenizer = try Tokenizer(json: Array(json.utf8))
    #expect(try tokenizer.encode("a").ids == [0])
    let error = #expect(throws: TokenizerError.self) { try tokenizer.encode("b") }
    #expect(error?.message.contains("no token '?'") == true)
  }

  @Test func `a length must have room for special tokens`() throws {
    let tokenizer = try Tokenizer(bertVocabulary: Self.words)
    let error = #expect(throws: TokenizerError.self) {
      try tokenizer.encode("run", options: .init(maximumLength: 1))
    }
    #expect(error?.message.contains("2 special tokens are added") == true)
    #expect(try tokenizer.encode("run", options: .init(maximumLength: 2)).ids == [2, 3])
  }

  @Test func `padding needs a token and a length that memory can hold`() throws {
    let json = #"{"model": {"type": "WordLevel", "unk_token": "a", "vocab": {"a": 0}}}"#
    let tokenizer = try Tokenizer(Array(json.utf8), name: "x/tokenizer.json")
    let error = #expect(throws: TokenizerError.self) {
      try tokenizer.encode("a", options: .init(fixedLength: 3))
    }
    #expect(error?.message.contains("no token [PAD] or <pad>") == true)
    let options = Tokenizer.Options(fixedLength: 3, paddingID: 9)
    #expect(try tokenizer.encode("a", options: options).ids == [0, 9, 9])
    #expect(throws: TokenizerError.self) {
      try tokenizer.encode("a", options: .init(fixedLength: .max, paddingID: 9))
    }
  }

  @Test func `the name of a file says what it is`() throws {
    let tokenizer = try Tokenizer(Self.words, name: "bert/vocab.txt", lowercases: false)
    #expect(try tokenizer.encode("Running running").ids == [2, 1, 5, 6, 3])
    for name in ["spiece.model", "vocab.bpe", ""] {
      let error = #expect(throws: TokenizerError.self) { try Tokenizer([], name: name) }
      #expect(error?.message.contains("Expected is tokenizer.json or vocab.txt.") == true)
    }
  }

  /// A quadratic search would take hours.
  @Test(
    .timeLimit(.minutes(5)), arguments: ["llama", "sentencepiece_unigram", "bert_uncased", "qwen"])
  func `long texts without spaces take linear time`(name: String) throws {
    let tokenizer = try Tokenizer(json: Self.file("\(name).json"))
    for character in ["a", "\u{301}", "中", " "] {
      let text = String(repeating: character, count: 200_000)
      #expect(try tokenizer.encode(text).ids.count <= 600_002)
    }
  }
}
