// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The tokens of a word while byte pair encoding merges them.
///
/// It's a list whose elements know their neighbors, and a heap of possible merges, so that a text
/// of many megabytes without spaces takes no quadratic time.
struct BPEWord {
  /// The token at each index, or -1 if another token contains it.
  var tokens: [Int32] = []
  private var previous: [Int32] = []
  private var next: [Int32] = []
  /// Ranks in the upper and indices in the lower half, the smallest first.
  private var heap: [UInt64] = []

  mutating func removeAll() {
    tokens.removeAll(keepingCapacity: true)
    heap.removeAll(keepingCapacity: true)
  }

  mutating func append(_ token: Int32?) {
    if let token { tokens.append(token) }
  }

  func append(to indices: inout [Int32]) {
    for token in tokens where token >= 0 { indices.append(token) }
  }

  /// Merges pairs, the lowest rank first, until no pair has one.
  mutating func merge(_ merges: MergeTable) {
    let count = tokens.count
    guard count > 1 else { return }
    previous.removeAll(keepingCapacity: true)
    next.removeAll(keepingCapacity: true)
    for index in 0..<Int32(count) {
      previous.append(index - 1)
      next.append(index + 1)
    }
    for index in 0..<(count - 1) { push(index, index + 1, merges) }
    while let top = pop() {
      let index = Int(top & 0xFFFF_FFFF)
      let following = Int(next[index])
      guard tokens[index] >= 0, following < count,
        let rank = merges.rank(tokens[index], tokens[following])
      else { continue }
      // The pair may have changed since it was pushed, but other pairs can make the same token.
      let token = merges.results[Int(top >> 32)]
      guard merges.results[rank] == token else { continue }
      tokens[index] = token
      tokens[following] = -1
      let after = Int(next[following])
      next[index] = Int32(after)
      if after < count { previous[after] = Int32(index) }
      if previous[index] >= 0 { push(Int(previous[index]), index, merges) }
      if after < count { push(index, after, merges) }
    }
  }

  @inline(__always)
  private mutating func push(_ first: Int, _ second: Int, _ merges: MergeTable) {
    guard let rank = merges.rank(tokens[first], tokens[second]) else { return }
    let entry = UInt64(rank) << 32 | UInt64(first)
    var index = heap.count
    heap.append(entry)
    while index > 0 {
      let parent = (index - 1) / 2
      guard heap[parent] > entry else { break }
      heap[index] = heap[parent]
      index = parent
    }
    heap[index] = entry
  }

  @inline(__always)
  private mutating func pop() -> UInt64? {
    guard let top = heap.first, let entry = heap.popLast() else { return nil }
    let count = heap.count
    guard count > 0 else { return top }
    var index = 0
    while true {
      var child = 2 * index + 1
      guard child < count else { break }
      if child + 1 < count, heap[child + 1] < heap[child] { child += 1 }
      guard heap[child] < entry else { break }
      heap[index] = heap[child]
      index = child
    }
    heap[index] = entry
    return top
  }
}
