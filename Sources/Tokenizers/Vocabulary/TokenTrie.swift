// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A tree of bytes that finds the tokens with which a text starts.
///
/// The children of a node are neighbors, sorted by their byte. A node needs nine bytes, so that
/// even 16 MiB of text without common prefixes fit in memory.
///
/// It's a class because copies of its arrays would count a reference to each.
final class TokenTrie: Sendable {
  /// The node of the empty text.
  static let root = 0

  /// The last byte of each node's text.
  private let labels: [UInt8]
  /// The first child of each node, and one more for the end of the last one.
  private let firstChildren: [UInt32]
  /// The index of the token that ends at each node, or -1.
  let tokens: [Int32]
  /// The number of different texts.
  let count: Int
  /// The children of the root, or 0.
  private let rootChildren: [Int32]

  /// Makes a tree of texts and their token indices.
  ///
  /// If a text occurs twice, the last index counts.
  init(_ texts: TokenList, _ indices: [Int32]) {
    let order = texts.sortedPlaces()
    var labels: [UInt8] = [0]
    var firstChildren: [UInt32] = []
    var tokens: [Int32] = []
    var rootChildren: [Int32] = Array(repeating: 0, count: 256)
    var count = 0
    // Where texts that start with that of a node begin in the order. Nodes are numbered by depth.
    var level: [Range<Int>] = [0..<texts.count]
    var depth = 0
    while !level.isEmpty {
      var next: [Range<Int>] = []
      for node in level {
        var low = node.lowerBound
        var token: Int32 = -1
        while low < node.upperBound, texts.range(order[low]).count == depth {
          token = indices[order[low]]
          low += 1
        }
        tokens.append(token)
        if token >= 0 { count += 1 }
        firstChildren.append(UInt32(labels.count))
        while low < node.upperBound {
          let start = low
          let byte = texts.bytes[texts.range(order[low]).lowerBound + depth]
          while low < node.upperBound,
            texts.bytes[texts.range(order[low]).lowerBound + depth] == byte
          { low += 1 }
          if depth == 0 { rootChildren[Int(byte)] = Int32(labels.count) }
          labels.append(byte)
          next.append(start..<low)
        }
      }
      level = next
      depth += 1
    }
    firstChildren.append(UInt32(labels.count))
    self.labels = labels
    self.firstChildren = firstChildren
    self.tokens = tokens
    self.rootChildren = rootChildren
    self.count = count
  }

  /// The node whose text is that of a node and a byte; nil if no token starts with it.
  @inline(__always)
  func child(of node: Int, _ byte: UInt8) -> Int? {
    if node == Self.root {
      let child = Int(rootChildren[Int(byte)])
      return child > 0 ? child : nil
    }
    var low = Int(firstChildren[node])
    var high = Int(firstChildren[node + 1])
    while high - low > 4 {
      let middle = (low + high) / 2
      if labels[middle] <= byte { low = middle } else { high = middle }
    }
    while low < high {
      if labels[low] == byte { return low }
      low += 1
    }
    return nil
  }

  /// The node of a longer text; nil if no token starts with it.
  @inline(__always)
  func node(of text: [UInt8], _ range: Range<Int>, from start: Int = root) -> Int? {
    var node = start
    for index in range {
      guard let next = child(of: node, text[index]) else { return nil }
      node = next
    }
    return node
  }

  /// The token that is exactly a range of a text.
  @inline(__always)
  func token(_ text: [UInt8], _ range: Range<Int>, from start: Int = root) -> Int32? {
    guard let node = node(of: text, range, from: start), tokens[node] >= 0 else { return nil }
    return tokens[node]
  }

  /// The longest token with which a range of a text starts.
  @inline(__always)
  func longest(
    _ text: [UInt8], _ range: Range<Int>, from start: Int = root
  ) -> (token: Int32, end: Int)? {
    var node = start
    var found: (token: Int32, end: Int)?
    for index in range {
      guard let next = child(of: node, text[index]) else { break }
      node = next
      if tokens[node] >= 0 { found = (tokens[node], index + 1) }
    }
    return found
  }
}
