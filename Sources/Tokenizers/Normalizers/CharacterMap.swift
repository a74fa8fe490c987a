// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The replacements of characters that a SentencePiece model has, such as those of `nmt_nfkc`.
///
/// It's a trie in the double array of the library Darts-clone, and the texts that replace.
struct CharacterMap {
  private let units: [UInt32]
  private let texts: [UInt8]

  /// Reads a map, which is in base64.
  init(_ element: JSONElement) throws {
    let bytes = try Self.decoded(try element.bytes(), element)
    // The number of bytes with units, the units, and the texts.
    var words: [UInt32] = []
    for index in stride(from: 3, to: bytes.count, by: 4) {
      var word = UInt32(bytes[index])
      for place in 1...3 { word = word << 8 | UInt32(bytes[index - place]) }
      words.append(word)
    }
    guard let size = words.first, size > 0, size % 4 == 0, Int(size / 4) < words.count else {
      throw element.failure("a character map, whose first number is its size,")
    }
    let end = 4 + Int(size)
    units = Array(words[1..<(end / 4)])
    texts = bytes.part(end..<bytes.count)
    guard String(validating: texts, as: UTF8.self) != nil else {
      throw element.failure("a character map with UTF-8")
    }
    var longest = 0
    var length = 0
    for byte in texts {
      length = byte == 0 ? 0 : length + 1
      longest = max(longest, length)
    }
    guard longest <= TokenList.longest else {
      throw element.failure("a character map with texts of at most \(TokenList.longest) bytes")
    }
  }

  private static func decoded(_ text: [UInt8], _ element: JSONElement) throws -> [UInt8] {
    var result: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    for byte in text where byte != UInt8(ascii: "=") {
      let value: UInt8
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = byte - 65
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = byte - 71
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte + 4
      case UInt8(ascii: "+"): value = 62
      case UInt8(ascii: "/"): value = 63
      default: throw element.failure("base64")
      }
      bits = bits << 6 | UInt32(value)
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      result.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
    return result
  }

  /// Returns a text with replaced characters.
  ///
  /// SentencePiece replaces the longest key, but the package `tokenizers` looks up each grapheme
  /// cluster of less than six bytes, and then the scalars. It takes the shortest key with which
  /// the cluster starts, and omits the rest of the cluster.
  func mapped(_ text: [UInt8]) throws -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      try NormalizedText.checkCount(result)
      // A character between two of ASCII is a cluster of its own, but for a line break.
      let isAlone =
        text[index] < 0x80 && text[index] != 13
        && (index + 1 == text.count || text[index + 1] < 0x80)
      if isAlone {
        map(text, index..<(index + 1), into: &result)
        index += 1
        continue
      }
      var end = index + 1
      while end < text.count, text[end] >= 0x80 || text[end - 1] >= 0x80 || text[end - 1] == 13 {
        end += 1
      }
      for cluster in text.part(index..<end).text {
        let next = index + cluster.utf8.count
        if next - index >= 6 || !replace(text, index..<next, into: &result) {
          var start = index
          while start < next {
            let length = text.scalar(at: start).length
            map(text, start..<(start + length), into: &result)
            start += length
          }
        }
        index = next
      }
    }
    return result
  }

  private func map(_ text: [UInt8], _ range: Range<Int>, into result: inout [UInt8]) {
    if !replace(text, range, into: &result) { result += text[range] }
  }

  /// Appends what replaces a text, and returns whether there is something.
  private func replace(
    _ text: [UInt8], _ range: Range<Int>, into result: inout [UInt8]
  ) -> Bool {
    // A unit has a label, the distance to its children, and a bit if a key ends here.
    func offset(of unit: UInt32) -> Int { Int((unit >> 10) << (unit >> 6 & 8)) }
    var node = offset(of: units[0])
    for index in range {
      node ^= Int(text[index])
      guard text[index] != 0, node < units.count else { return false }
      let unit = units[node]
      guard unit & 0x8000_00FF == UInt32(text[index]) else { return false }
      node ^= offset(of: unit)
      guard node < units.count else { return false }
      if unit >> 8 & 1 == 1 {
        var start = Int(units[node] & 0x7FFF_FFFF)
        guard start < texts.count else { return false }
        while start < texts.count, texts[start] != 0 {
          result.append(texts[start])
          start += 1
        }
        return true
      }
    }
    return false
  }
}
