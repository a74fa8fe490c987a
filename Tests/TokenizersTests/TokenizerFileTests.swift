// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Tokenizers

/// Files that are damaged or ask for too much are errors.
struct TokenizerFileTests {
  static let model = #"{"type": "WordLevel", "unk_token": "a", "vocab": {"a": 0}}"#

  private func failure(of json: String) -> String? {
    do {
      _ = try Tokenizer(json: Array(json.utf8))
      return nil
    } catch {
      return (error as? TokenizerError)?.message ?? "another error"
    }
  }

  @Test(arguments: [
    ("normalizer", "normalizer", "BertNormalizer"),
    ("pre_tokenizer", "pre-tokenizer", "BertPreTokenizer"),
    ("post_processor", "post-processor", "BertProcessing"), ("decoder", "decoder", "BPEDecoder"),
    ("model", "model", "BPE"),
  ])
  func `an unknown part names itself and what is supported`(
    key: String, name: String, first: String
  ) throws {
    var json = #"{"model": \#(Self.model), "\#(key)": {"type": "Zzz"}}"#
    if key == "model" { json = #"{"model": {"type": "Zzz"}}"# }
    let message = try #require(failure(of: json))
    #expect(message.hasPrefix("The \(name) 'Zzz' isn't supported. Supported are: \(first),"))
  }

  @Test(arguments: [
    ("", "A value was expected."), ("{", "A key was expected."), ("[1,", "A value was expected."),
    (#"{"a" 1}"#, "':' was expected."), ("[1 2]", "',' or the end of an array was expected."),
    (#"{"a": 1"#, "',' or the end of an object was expected."),
    (#"["a"#, "A string has no end."), (#"["\q"]"#, "A string has an unknown escape."),
    (#"["\u12g4"]"#, "Four hexadecimal digits were expected."),
    (#"["\ud800"]"#, "A string has half of a surrogate pair."),
    (#"["\udc00"]"#, "A string has half of a surrogate pair."),
    ("[\"\n\"]", "A string has a control character."), ("[tru]", "'true' was expected."),
    ("[01]", "',' or the end of an array was expected."), ("[1.]", "A value was expected."),
    ("[-]", "A value was expected."), ("{} x", "The end of the file was expected."),
    (String(repeating: "[", count: 200), "At most 128 nested values were expected."),
  ])
  func `damaged JSON says where and why`(json: String, expected: String) throws {
    let message = try #require(failure(of: json))
    #expect(message.hasPrefix("tokenizer.json, line "))
    #expect(message.contains(expected))
  }

  @Test(arguments: [
    ("{}", "tokenizer.json has no 'model', which was expected."),
    ("[]", "tokenizer.json is an array, but an object was expected."),
    (
      #"{"model": {"type": "WordLevel", "unk_token": 1, "vocab": {}}}"#,
      "tokenizer.json: 'model.unk_token' is a number '1', but a string was expected."
    ),
    (
      #"{"model": {"type": "WordLevel", "unk_token": "a", "vocab": {"a": -1}}}"#,
      "is a number '-1', but an integer from 0 to 4194303 was expected."
    ),
    (
      #"{"model": {"type": "WordLevel", "unk_token": "a", "vocab": {"a": 99999999999999999999}}}"#,
      "an integer from 0 to 4194303 was expected."
    ),
    (
      #"{"model": {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": [["a", "b"]]}}"#,
      "The merge of 'a' and 'b' has a token that isn't in the vocabulary."
    ),
    (
      #"{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a b c"]}}"#,
      "two tokens with a space between them was expected."
    ),
    (
      #"{"model": {"type": "BPE", "dropout": 0.1, "vocab": {}, "merges": []}}"#, "no dropout"
    ),
    (
      #"{"model": {"type": "Unigram", "unk_id": 1, "vocab": [["a", 0]]}}"#,
      "an integer from 0 to 0 was expected."
    ),
    (#"{"model": {"type": "Unigram", "vocab": [["a"]]}}"#, "a token and its score was expected."),
    (
      #"{"model": {"type": "Unigram", "vocab": [["a", 1e999]]}}"#,
      "a number that 64 bits can hold was expected."
    ),
    (#"{"version": "2.0", "model": {}}"#, "The version '2.0' isn't supported."),
    (
      #"{"model": \#(model), "post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x", "type_id": 0}}], "pair": [], "special_tokens": {}}}"#,
      "has no 'x', which was expected."
    ),
    (
      #"{"model": \#(model), "pre_tokenizer": {"type": "Punctuation", "behavior": "Gone"}}"#,
      "one of Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous was expected."
    ),
    (
      #"{"model": \#(model), "normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA"}}"#,
      "a character map, whose first number is its size, was expected."
    ),
    (
      #"{"model": \#(model), "padding": {"strategy": {"Fixed": 8}, "direction": "Up", "pad_id": 0, "pad_type_id": 0}}"#,
      "one of Left, Right was expected."
    ),
  ])
  func `wrong values name their path`(json: String, expected: String) throws {
    let message = try #require(failure(of: json))
    #expect(message.contains(expected))
  }

  @Test func `every part of a file that is cut is an error`() throws {
    for name in ["bert_uncased", "llama", "sentencepiece_unigram"] {
      let file = try TokenizerTests.file("\(name).json")
      for count in stride(from: 0, to: file.count - 2, by: file.count / 150) {
        #expect(throws: TokenizerError.self) { try Tokenizer(json: Array(file[..<count])) }
      }
    }
  }

  @Test(arguments: ["bert_uncased", "byte_level", "llama", "sentencepiece_unigram", "word_level"])
  func `garbled files are errors or tokenizers`(name: String) throws {
    let file = try TokenizerTests.file("\(name).json")
    var state: UInt64 = 1
    func random(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    // The options are at the start and the end; most of the rest is the vocabulary.
    var errors = 0
    for round in 0..<200 {
      var bytes = file
      let head = round % 2 == 0 ? file.count : 1_500
      for _ in 0...random(3) {
        let index = random(head)
        switch random(3) {
        case 0: bytes[index] = UInt8(random(256))
        case 1: bytes[index] = UInt8(ascii: "9")
        default: bytes.remove(at: index)
        }
      }
      do {
        let tokenizer = try Tokenizer(json: bytes)
        let ids = try tokenizer.encode("the <s> [MASK] é中😀 'll 12").ids
        _ = try tokenizer.decode(ids)
      } catch {
        #expect(error is TokenizerError)
        errors += 1
      }
    }
    #expect(errors > 50)
  }

  @Test func `vocabularies have at most a million tokens`() throws {
    let lines = Array(repeating: UInt8(ascii: "\n"), count: 1_000_001)
    let error = #expect(throws: TokenizerError.self) { try Tokenizer(bertVocabulary: lines) }
    #expect(error?.message.contains("more than 1000000 tokens") == true)
    let long = Array(repeating: UInt8(ascii: "a"), count: 1_025)
    let other = #expect(throws: TokenizerError.self) { try Tokenizer(bertVocabulary: long) }
    #expect(other?.message.contains("at most 1024 were expected") == true)
  }

  @Test func `a vocabulary must be text with BERT's tokens`() throws {
    let error = #expect(throws: TokenizerError.self) {
      try Tokenizer(bertVocabulary: Array("a\n[CLS]".utf8))
    }
    #expect(error?.message.hasPrefix("vocab.txt has no line '[UNK]'") == true)
    #expect(throws: TokenizerError.self) { try Tokenizer(bertVocabulary: [0xFF, 10]) }
    #expect(throws: TokenizerError.self) { try Tokenizer(bertVocabulary: []) }
  }

  @Test func `numbers are read as in Python`() throws {
    // serde_json makes the last digit of two of them one less.
    let numbers =
      "[-3.0123284804704786, -14.825037124029805, 1e3, -2.5E-1, 12345678901234567890123, 0]"
    let values = try JSONElement(text: numbers).elements().map { try $0.number() }
    #expect(
      values == [-3.012328480470478, -14.825037124029803, 1000, -0.25, 1.2345678901234567e22, 0])
  }
}
