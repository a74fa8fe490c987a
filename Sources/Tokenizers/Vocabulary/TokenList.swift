// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Many texts in one array, which needs less memory than an array of each.
struct TokenList: Sendable {
  /// The most texts, four times as many as the largest known vocabularies have.
  static let mostTokens = 1_000_000
  /// The most bytes of all texts.
  static let mostBytes = 16 << 20
  /// The most bytes of one text, because a search compares that many at each index of a text.
  static let longest = 1_024

  private(set) var bytes: [UInt8] = []
  private var ends: [UInt32] = []

  var count: Int { ends.count }

  /// The range of a text in ``bytes``.
  func range(_ index: Int) -> Range<Int> {
    (index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index])
  }

  /// A text.
  subscript(_ index: Int) -> [UInt8] { bytes.part(range(index)) }

  mutating func append(_ text: [UInt8]) throws { try append(text, 0..<text.count) }

  /// Adds the text in a range of bytes.
  mutating func append(_ text: [UInt8], _ range: Range<Int>) throws {
    guard range.count <= Self.longest else {
      throw TokenizerError(
        "A token has \(range.count) bytes, but at most \(Self.longest) were expected.")
    }
    guard count < Self.mostTokens, bytes.count + range.count <= Self.mostBytes else {
      throw TokenizerError(
        "The vocabulary has more than \(Self.mostTokens) tokens or 16 MiB of text. Check that the "
          + "file is a vocabulary.")
    }
    bytes += text[range]
    ends.append(UInt32(bytes.count))
  }

  /// Returns the indices of the texts in the order of their bytes; equal texts keep their order.
  func sortedPlaces() -> [Int] {
    // A stable sort by each byte, the last one first, needs no comparisons.
    var groups: [[Int]] = Array(repeating: [], count: Self.longest + 1)
    for place in 0..<count { groups[range(place).count].append(place) }
    var order: [Int] = []
    for depth in stride(from: Self.longest, to: 0, by: -1) {
      // Texts that end here come before longer ones.
      order = groups[depth] + order
      guard !order.isEmpty else { continue }
      groups[depth] = []
      var starts: [Int] = Array(repeating: 0, count: 257)
      for place in order { starts[Int(bytes[range(place).lowerBound + depth - 1]) + 1] += 1 }
      for byte in 1...256 { starts[byte] += starts[byte - 1] }
      var sorted = order
      for place in order {
        let byte = Int(bytes[range(place).lowerBound + depth - 1])
        sorted[starts[byte]] = place
        starts[byte] += 1
      }
      order = sorted
    }
    return groups[0] + order
  }
}
