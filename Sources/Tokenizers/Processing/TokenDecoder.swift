// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// What makes text of tokens.
indirect enum TokenDecoder {
  case sequence([TokenDecoder])
  case wordPiece(prefix: [UInt8], cleansUp: Bool)
  case byteLevel
  case metaspace(Metaspace)
  case bpe(suffix: TextPattern)
  case byteFallback
  case fuse
  case strip(UInt32, start: Int, end: Int)
  case replace(TextPattern, [UInt8])

  /// Changes tokens.
  func decode(_ tokens: [[UInt8]]) throws -> [[UInt8]] {
    switch self {
    case .sequence(let decoders):
      var tokens = tokens
      for decoder in decoders { tokens = try decoder.decode(tokens) }
      return tokens
    case .byteLevel: return [Self.bytes(of: tokens)]
    case .byteFallback: return Self.withoutByteTokens(tokens)
    case .fuse: return [Self.joined(tokens)]
    default: break
    }
    var result = tokens
    for place in 0..<tokens.count { try decode(&result[place], at: place, of: tokens.count) }
    return result
  }

  /// Changes a token independent of the others.
  private func decode(_ token: inout [UInt8], at place: Int, of count: Int) throws {
    switch self {
    case .wordPiece(let prefix, let cleansUp):
      if place > 0 {
        token = token.hasPrefix(prefix) ? token.part(prefix.count..<token.count) : [32] + token
      }
      guard cleansUp, token.contains(32) else { return }
      for (old, new) in Self.changes { token = try token.replacing(old, with: new) }
    case .metaspace(let metaspace):
      let isSpace = place > 0 || metaspace.scheme == .never
      let mark = TextPattern(literal: Array(scalar: metaspace.replacement))
      token = try token.replacing(mark, with: isSpace ? [32] : [])
    case .bpe(let suffix):
      token = try token.replacing(suffix, with: place == count - 1 ? [] : [32])
    case .strip(let scalar, let start, let end): token = Self.strip(token, scalar, start, end)
    case .replace(let pattern, let content): token = try token.replacing(pattern, with: content)
    default: break
    }
  }

  /// What removes spaces before punctuation and English contractions.
  private static let changes: [(old: TextPattern, new: [UInt8])] = {
    let texts = [
      " .", ".", " ?", "?", " !", "!", " ,", ",", " ' ", "'", " n't", "n't", " 'm", "'m",
      " do not", " don't", " 's", "'s", " 've", "'ve", " 're", "'re",
    ]
    var changes: [(old: TextPattern, new: [UInt8])] = []
    for index in stride(from: 0, to: texts.count, by: 2) {
      changes.append((TextPattern(literal: Array(texts[index].utf8)), Array(texts[index + 1].utf8)))
    }
    return changes
  }()

  /// The bytes of all tokens.
  static func joined(_ tokens: [[UInt8]]) -> [UInt8] {
    var result: [UInt8] = []
    for token in tokens { result += token }
    return result
  }

  /// The bytes that tokens of a byte-level vocabulary stand for.
  private static func bytes(of tokens: [[UInt8]]) -> [UInt8] {
    var result: [UInt8] = []
    for token in tokens {
      let start = result.count
      var index = 0
      while index < token.count {
        let scalar = token.scalar(at: index)
        guard let byte = ByteAlphabet.byte(of: scalar.value) else {
          // A token with any other character is text.
          result.removeLast(result.count - start)
          result += token
          break
        }
        result.append(byte)
        index += scalar.length
      }
    }
    // Bytes that aren't UTF-8 become U+FFFD.
    return Array(result.text.utf8)
  }

  /// Replaces tokens such as `<0x0A>` with their bytes.
  private static func withoutByteTokens(_ tokens: [[UInt8]]) -> [[UInt8]] {
    var result: [[UInt8]] = []
    var pending: [UInt8] = []
    func flush() {
      guard !pending.isEmpty else { return }
      if String(validating: pending, as: UTF8.self) != nil {
        result.append(pending)
      } else {
        for _ in pending { result.append([0xEF, 0xBF, 0xBD]) }
      }
      pending = []
    }
    for token in tokens {
      if token.count == 6, token.hasPrefix([60, 48, 120]), token[5] == UInt8(ascii: ">"),
        let byte = token.hexadecimal(3..<5)
      {
        pending.append(UInt8(truncatingIfNeeded: byte))
      } else {
        flush()
        result.append(token)
      }
    }
    flush()
    return result
  }

  private static func strip(_ token: [UInt8], _ scalar: UInt32, _ start: Int, _ end: Int) -> [UInt8]
  {
    var low = 0
    var high = token.count
    for _ in 0..<start {
      guard low < high, case let first = token.scalar(at: low), first.value == scalar else { break }
      low += first.length
    }
    for _ in 0..<end {
      guard low < high, case let before = token.scalarStart(before: high),
        token.scalar(at: before).value == scalar
      else { break }
      high = before
    }
    return token.part(low..<high)
  }
}

extension TokenDecoder {
  private static let names = [
    "BPEDecoder", "ByteFallback", "ByteLevel", "Fuse", "Metaspace", "Replace", "Sequence", "Strip",
    "WordPiece",
  ]

  /// Reads a decoder of tokenizer.json.
  init(_ element: JSONElement) throws {
    let type = try element.required("type").text()
    switch type {
    case "Sequence":
      self = .sequence(try element.required("decoders").steps().map(TokenDecoder.init))
    case "WordPiece":
      self = .wordPiece(
        prefix: try element.required("prefix").bytes(),
        cleansUp: try element.bool("cleanup"))
    case "ByteLevel": self = .byteLevel
    case "Metaspace": self = .metaspace(try Metaspace(element))
    case "BPEDecoder":
      let suffix = try element.required("suffix").bytes()
      guard !suffix.isEmpty else { throw element.failure("a suffix that isn't empty") }
      self = .bpe(suffix: TextPattern(literal: suffix))
    case "ByteFallback": self = .byteFallback
    case "Fuse": self = .fuse
    case "Strip":
      self = .strip(
        try element.required("content").scalar(), start: try element.required("start").integer(),
        end: try element.required("stop").integer())
    case "Replace":
      self = .replace(
        try TextPattern(element.required("pattern")), try element.required("content").shortBytes())
    default: throw TokenizerError.unsupported("decoder", type, Self.names)
    }
  }
}
