// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The index of a class or of a vector, and its score.
package struct ScoredIndex: Sendable, Equatable {
  package var index: Int
  package var score: Float

  package init(index: Int, score: Float) {
    self.index = index
    self.score = score
  }
}

extension [ScoredIndex] {
  /// Returns the first elements in descending order of their scores.
  ///
  /// Elements with equal scores stay in the order of their indices.
  func best(_ top: Int) -> [ScoredIndex] {
    let sorted = self.sorted { left, right in
      left.score > right.score || (left.score == right.score && left.index < right.index)
    }
    return Array(sorted.prefix(Swift.max(0, top)))
  }
}
