// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The pairs of tokens that byte pair encoding merges.
struct MergeTable {
  private let ranks: PairTable
  /// The token that each rank makes.
  let results: [Int32]

  /// Reads pairs, whose order is their rank.
  init(_ element: JSONElement, _ vocabulary: Vocabulary, prefixCount: Int) throws {
    var pairs: [UInt64] = []
    var results: [Int32] = []
    for pair in try element.elements() {
      guard pairs.count < TokenList.mostTokens else {
        throw pair.failure("at most \(TokenList.mostTokens) merges")
      }
      guard let (first, second) = try Self.texts(of: pair) else { continue }
      var both = first
      for index in 0..<second.count where index >= prefixCount { both.append(second[index]) }
      guard second.count >= prefixCount, let left = vocabulary.id(of: first),
        let right = vocabulary.id(of: second), let result = vocabulary.id(of: both)
      else {
        throw TokenizerError(
          "The merge of '\(first.text)' and '\(second.text)' has a token that isn't in the "
            + "vocabulary. Use the vocabulary and the merges of one training.")
      }
      pairs.append(UInt64(left) << 32 | UInt64(right))
      results.append(result)
    }
    ranks = PairTable(pairs, Array(0..<Int32(pairs.count)))
    self.results = results
  }

  /// The texts of a pair, which is an array or, in old files, a string with a space.
  private static func texts(of pair: JSONElement) throws -> ([UInt8], [UInt8])? {
    if pair.isArray {
      let (first, second) = try pair.pair("two tokens")
      return (try first.bytes(), try second.bytes())
    }
    let bytes = try pair.bytes()
    if bytes.hasPrefix(Array("#version".utf8)) { return nil }
    var spaces: [Int] = []
    for index in 0..<bytes.count where bytes[index] == 32 { spaces.append(index) }
    guard spaces.count == 1 else { throw pair.failure("two tokens with a space between them") }
    return (bytes.part(0..<spaces[0]), bytes.part((spaces[0] + 1)..<bytes.count))
  }

  /// The rank of a pair; nil if it isn't merged.
  @inline(__always)
  func rank(_ first: Int32, _ second: Int32) -> Int? {
    // Tokens have no negative indices.
    ranks[UInt32(bitPattern: first), UInt32(bitPattern: second)].map { Int($0) }
  }
}
