// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Collects the boxes of a tensor whose scores are high enough, and keeps only the best of them.
///
/// Its memory is bounded: a tensor with a million good scores costs no more than twice the limit.
struct CandidateQueue {
  /// A box that may be kept.
  struct Candidate: Comparable {
    var score: Float
    private var position: UInt32
    private var number: Int32

    init(score: Float, index: Int, classIndex: Int) {
      self.score = score
      position = UInt32(clamping: index)
      number = Int32(clamping: classIndex)
    }

    var index: Int { Int(position) }
    var classIndex: Int { Int(number) }

    /// Whether the candidate comes first: its score is higher, or it's earlier in the tensor.
    static func < (left: Self, right: Self) -> Bool {
      left.score > right.score || left.score == right.score && left.position < right.position
    }
  }

  private var items: [Candidate] = []
  private let limit: Int
  /// The score that further candidates must exceed.
  private var cutoff: Float

  /// Creates a queue for a number of boxes, which are added in the order of the tensor.
  init(_ selection: BoxSelection, count: Int) {
    limit = min(max(selection.candidates, 0), 1 << 28)
    cutoff = selection.threshold
    items.reserveCapacity(min(max(count, 0), 2 * limit))
  }

  /// Adds a candidate unless its score is too low or infinite.
  mutating func add(_ score: Float, at index: Int, classIndex: Int) {
    guard score > cutoff, score < .infinity, limit > 0 else { return }
    items.append(Candidate(score: score, index: index, classIndex: classIndex))
    if items.count == 2 * limit { drop() }
  }

  /// Drops the worse half.
  ///
  /// Later candidates with the lowest remaining score would lose against the earlier ones.
  private mutating func drop() {
    items.sort()
    items.removeLast(items.count - limit)
    cutoff = max(cutoff, items[limit - 1].score)
  }

  /// Returns the candidates that are left, best first.
  consuming func sorted() -> [Candidate] {
    items.sort()
    items.removeLast(max(0, items.count - limit))
    return items
  }
}
