// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Tokenizers

/// A part of a tokenizer, as JSON.
struct TokenizerPart: CustomTestStringConvertible {
  var json: String
  var testDescription: String { json }
  init(_ json: String) { self.json = json }
  var object: [String: Any] {
    get throws {
      try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    }
  }
}

/// Normalizers, pre-tokenizers and decoders change text as in Python.
@Suite(.enabled(if: TokenizerPeer.isThere, TokenizerPeer.reason))
struct PartParityTests {
  /// Scalars of all blocks, but few ideographs and syllables, with letters between them.
  static let scalars: [String] = {
    var lines: [String] = []
    var line = "x"
    for code in 0..<0x20000 as Range<UInt32> {
      let isLarge = 0x3500..<0x9F00 ~= code || 0xAD00..<0xD700 ~= code || 0xE100..<0xF800 ~= code
      guard let scalar = Unicode.Scalar(code), !isLarge || code % 64 == 0 else { continue }
      line.unicodeScalars.append(scalar)
      line += "x"
      if code % 64 == 63 {
        lines.append(line)
        line = "x"
      }
    }
    return lines + (0xE0000..<0xE0200).map { "x\(Unicode.Scalar($0).map(String.init) ?? "")x" }
  }()

  static let normalizers = [
    #"{"type": "NFC"}"#, #"{"type": "NFD"}"#, #"{"type": "NFKC"}"#, #"{"type": "NFKD"}"#,
    #"{"type": "Lowercase"}"#, #"{"type": "StripAccents"}"#, #"{"type": "Nmt"}"#,
    #"{"type": "Strip", "strip_left": true, "strip_right": true}"#,
    #"{"type": "Strip", "strip_left": false, "strip_right": true}"#,
    #"{"type": "Prepend", "prepend": "▁"}"#,
    #"{"type": "Replace", "pattern": {"String": "x "}, "content": "é"}"#,
    #"{"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"}"#,
    #"{"type": "Replace", "pattern": {"String": ""}, "content": "_"}"#,
    #"{"type": "Replace", "pattern": {"Regex": "\\s*"}, "content": "-"}"#,
    #"{"type": "Replace", "pattern": {"Regex": "^.|.$"}, "content": ""}"#,
    #"{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true}"#,
    #"{"type": "BertNormalizer", "clean_text": false, "handle_chinese_chars": true, "strip_accents": true, "lowercase": false}"#,
    #"{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": false, "strip_accents": false, "lowercase": false}"#,
    #"{"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}, {"type": "NFC"}]}"#,
  ].map(TokenizerPart.init)

  @Test(arguments: normalizers)
  func `a normalizer changes text as in Python`(part: TokenizerPart) async throws {
    let lines = try await TokenizerPeer.lines(300, seed: 60) + Self.scalars
    let expected: [String] = try await TokenizerPeer.run(
      "normalize", ["part": part.object, "lines": lines])
    try compare(part, lines, expected)
  }

  @Test(arguments: ["nmt_nfkc", "nmt_nfkc_cf", "nfkc"])
  func `a character map changes text as in Python`(rule: String) async throws {
    let map: String = try await TokenizerPeer.run("character_map", ["rule": rule])
    let part = TokenizerPart(#"{"type": "Precompiled", "precompiled_charsmap": "\#(map)"}"#)
    let marks = ["a\u{301}b", "\r\n\r\n", "ﬁ\u{301}", "\u{A0}\u{301}\u{302}x", "ｶﾞ", "각", "\0a"]
    let lines = try await TokenizerPeer.lines(1_000, seed: 61) + Self.scalars + marks
    let expected: [String] = try await TokenizerPeer.run(
      "normalize", ["part": part.object, "lines": lines])
    try compare(part, lines, expected)
  }

  private func compare(_ part: TokenizerPart, _ lines: [String], _ expected: [String]) throws {
    let normalizer = try Normalizer(JSONElement(text: part.json))
    var differences: [String] = []
    for (line, expected) in zip(lines, expected) {
      var text = NormalizedText(bytes: Array(line.utf8), isStart: true)
      try normalizer.normalize(&text)
      if text.bytes != Array(expected.utf8) {
        differences.append("\(line.debugDescription): \(text.bytes.text.debugDescription)")
      }
    }
    #expect(differences.isEmpty, "\(differences.count), such as: \(differences.prefix(2))")
    #expect(lines.count == expected.count)
  }

  static let preTokenizers =
    [
      #"{"type": "BertPreTokenizer"}"#, #"{"type": "Whitespace"}"#, #"{"type": "WhitespaceSplit"}"#,
      #"{"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true}"#,
      #"{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false}"#,
      #"{"type": "Digits", "individual_digits": true}"#,
      #"{"type": "Digits", "individual_digits": false}"#,
      #"{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true}"#,
      #"{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": false}"#,
      #"{"type": "Metaspace", "replacement": "_", "prepend_scheme": "never", "split": true}"#,
      #"{"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": true}]}"#,
    ].map(TokenizerPart.init)
    + ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"].flatMap {
      [
        TokenizerPart(#"{"type": "Punctuation", "behavior": "\#($0)"}"#),
        split(#"\s+|[,.]"#, $0), split(#"\s+|[,.]"#, $0, isInverted: true), split(#"x*"#, $0),
      ]
    } + patterns.map { split($0, "Isolated") }

  /// The patterns of known models, and others with all that the parser knows.
  static let patterns = [
    // GPT-2, CLIP, GPT-4, GPT-4o, Llama 3, DeepSeek and BLOOM.
    #"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"#,
    #"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"#,
    #"'(?i:s|d|m|t|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"#,
    #"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"#,
    #"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"#,
    ##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"##,
    #"[一-龥぀-ゟ゠-ヿ]+"#, #" ?[^(\s|[.,!?…。，、।۔،])]+"#,
    #"\w+|\W"#, #"\d{2}|\D+\d"#, #"(a|bc)*d?x|(?:e|f)+"#, #"^.|\n$|.(?=\s)"#,
    #"\p{^L}+|\P{N}\p{Nd}|[^\S\n]+"#, #"[A-Zà-ÿ]+| ?\t"#, #"(?i)the|k"#,
    #"[^\W\d_]+|[+\-*\/]"#, #"(?:\s|x)+(?!y)"#,
  ]

  private static func split(
    _ pattern: String, _ behavior: String, isInverted: Bool = false
  ) -> TokenizerPart {
    let pattern = pattern.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return TokenizerPart(
      #"{"type": "Split", "pattern": {"Regex": "\#(pattern)"}, "behavior": "\#(behavior)", "invert": \#(isInverted)}"#
    )
  }

  @Test(arguments: preTokenizers)
  func `a pre-tokenizer splits text as in Python`(part: TokenizerPart) async throws {
    var lines = try await TokenizerPeer.lines(300, seed: 62) + Self.scalars.prefix(400)
    if !part.json.contains("Split") { lines += Self.scalars.dropFirst(400) }
    lines += ["", "\n", "a\n", "\n\n", "x,,y", ",", "x", "1a22b333", "'s 'S 'ſ 'Ll thE THe\n"]
    let expected: [[String]] = try await TokenizerPeer.run(
      "split", ["part": part.object, "lines": lines])
    let preTokenizer = try PreTokenizer(JSONElement(text: part.json))
    var differences: [String] = []
    for (line, expected) in zip(lines, expected) {
      var pieces = PieceList(NormalizedText(bytes: Array(line.utf8), isStart: true))
      try preTokenizer.split(&pieces)
      let texts = pieces.pieces.map { Array(pieces.bytes[$0.range]) }
      if texts != expected.map({ Array($0.utf8) }) {
        differences.append(
          "\(line.debugDescription): \(texts.map(\.text)) instead of \(expected)")
      }
    }
    #expect(differences.isEmpty, "\(differences.count), such as: \(differences.prefix(2))")
    #expect(lines.count == expected.count)
  }

  static let decoders = [
    ###"{"type": "WordPiece", "prefix": "##", "cleanup": true}"###,
    ###"{"type": "WordPiece", "prefix": "##", "cleanup": false}"###,
    #"{"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true}"#,
    #"{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true}"#,
    #"{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": true}"#,
    #"{"type": "BPEDecoder", "suffix": "</w>"}"#, #"{"type": "ByteFallback"}"#,
    #"{"type": "Fuse"}"#, #"{"type": "Strip", "content": " ", "start": 1, "stop": 0}"#,
    #"{"type": "Replace", "pattern": {"String": "▁"}, "content": " "}"#,
    #"{"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]}"#,
  ].map(TokenizerPart.init)

  @Test(arguments: decoders)
  func `a decoder makes the text that Python makes`(part: TokenizerPart) async throws {
    let words = [
      "a", "##b", "##", "Ġthe", "é", "Ã©", "ÃĢ", "▁x", "▁", "▁▁", "lo</w>", "</w>", "<0x41>",
      "<0xE4>",
      "<0xBD>", "<0xA0>", "<0xGG>", "<pad>", "|", "|", " ", "  b", " do not", "n't", "'", ".", "ĀĠ",
    ]
    var generator = SystemRandomNumberGenerator()
    let tokens =
      [["a"]]
      + (0..<300).map { _ in
        (0..<Int.random(in: 1...12, using: &generator)).map { _ in words.randomElement() ?? "a" }
      }
    let expected: [String] = try await TokenizerPeer.run(
      "decode", ["part": part.object, "tokens": tokens])
    let decoder = try TokenDecoder(JSONElement(text: part.json))
    for (tokens, expected) in zip(tokens, expected) {
      let text = Array(try decoder.decode(tokens.map { Array($0.utf8) }).joined())
      #expect(text == Array(expected.utf8), "\(tokens)")
    }
  }
}
