// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A way to split a text into words.
indirect enum PreTokenizer {
  case sequence([PreTokenizer])
  case bert
  case whitespace
  case whitespaceSplit
  case byteLevel(addsSpace: Bool, TextPattern?)
  case metaspace(Metaspace)
  case punctuation(PieceSplitter.Behavior)
  case digits(isIndividual: Bool)
  case pattern(TextPattern, PieceSplitter.Behavior, isInverted: Bool)

  /// Splits each piece.
  func split(_ pieces: inout PieceList) throws {
    switch self {
    case .sequence(let tokenizers):
      for tokenizer in tokenizers { try tokenizer.split(&pieces) }
    case .bert: Self.splitWords(&pieces)
    case .whitespace: Self.splitRuns(&pieces)
    case .whitespaceSplit:
      pieces.split(.removed, at: nil, or: .whitespace)
    case .byteLevel(let addsSpace, let pattern):
      if addsSpace {
        pieces.replace { text, piece, result in
          if text[piece.start] != 32 { result.append(32) }
          result += text[piece.range]
        }
      }
      if let pattern { try pieces.split(.isolated, pattern) }
      pieces.replace { text, piece, result in
        for byte in text[piece.range] {
          if 33...126 ~= byte {
            result.append(byte)
          } else {
            result.append(scalar: ByteAlphabet.scalars[Int(byte)])
          }
        }
      }
    case .metaspace(let metaspace): metaspace.split(&pieces)
    case .punctuation(let behavior):
      pieces.split(behavior, at: nil, or: .punctuation)
    case .digits(let isIndividual):
      pieces.split(isIndividual ? .isolated : .contiguous, at: nil, or: .number)
    case .pattern(let pattern, let behavior, let isInverted):
      try pieces.split(behavior, pattern, isInverted: isInverted)
    }
  }

  /// Splits at white space, and makes each punctuation character a piece.
  private static func splitWords(_ pieces: inout PieceList) {
    pieces.split { text, piece, parts in
      var index = piece.lowerBound
      var last = index
      while index < piece.upperBound {
        let scalar = text.scalar(at: index)
        let own = ScalarClass.of(scalar.value)
        let next = index + scalar.length
        if !own.isDisjoint(with: [.whitespace, .punctuation]) {
          parts.add(last, index)
          if own.contains(.punctuation) { parts.add(index, next) }
          last = next
        }
        index = next
      }
      parts.add(last, index)
    }
  }

  /// Makes pieces of neighboring characters of words, and of other ones but white space.
  private static func splitRuns(_ pieces: inout PieceList) {
    pieces.split { text, piece, parts in
      var index = piece.lowerBound
      var last = index
      var kind: ScalarClass = .whitespace
      while index < piece.upperBound {
        let scalar = text.scalar(at: index)
        let own = ScalarClass.of(scalar.value).intersection([.whitespace, .word])
        if own != kind {
          if kind != .whitespace { parts.add(last, index) }
          last = index
          kind = own
        }
        index += scalar.length
      }
      if kind != .whitespace { parts.add(last, index) }
    }
  }
}

extension PreTokenizer {
  private static let names = [
    "BertPreTokenizer", "ByteLevel", "Digits", "Metaspace", "Punctuation", "Sequence", "Split",
    "Whitespace", "WhitespaceSplit",
  ]

  /// The words of GPT-2: contractions, letters, numbers and others with a space before them.
  private static let gpt2Words =
    #"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"#

  /// Reads a pre-tokenizer of tokenizer.json.
  init(_ element: JSONElement) throws {
    let type = try element.required("type").text()
    switch type {
    case "Sequence":
      self = .sequence(try element.required("pretokenizers").steps().map(PreTokenizer.init))
    case "BertPreTokenizer": self = .bert
    case "Whitespace": self = .whitespace
    case "WhitespaceSplit": self = .whitespaceSplit
    case "ByteLevel":
      self = .byteLevel(
        addsSpace: try element.bool("add_prefix_space"),
        try element.bool("use_regex", default: true) ? TextPattern(Self.gpt2Words) : nil)
    case "Metaspace": self = .metaspace(try Metaspace(element))
    case "Punctuation": self = .punctuation(try element["behavior"].map(Self.behavior) ?? .isolated)
    case "Digits":
      self = .digits(isIndividual: try element.bool("individual_digits"))
    case "Split":
      self = .pattern(
        try TextPattern(element.required("pattern")),
        try Self.behavior(element.required("behavior")),
        isInverted: try element.bool("invert"))
    default: throw TokenizerError.unsupported("pre-tokenizer", type, Self.names)
    }
  }

  private static func behavior(_ element: JSONElement) throws -> PieceSplitter.Behavior {
    let names = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
    return PieceSplitter.Behavior.allCases[try element.position(in: names)]
  }
}
