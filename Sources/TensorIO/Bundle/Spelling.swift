// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Finds the word that a misspelt word was probably meant to be.
package enum Spelling {
  /// The maximum length of the words that are compared; a longer key is unlikely to be a typo.
  private static let mostCharacters = 64

  /// Returns the candidate that differs in the fewest characters, the first of equally close ones;
  /// nil when none is close enough.
  package static func suggestion(for word: String, among candidates: [String]) -> String? {
    guard word.count <= mostCharacters else { return nil }
    let written = Array(word.lowercased())
    var best: (word: String, changes: Int)?
    for candidate in candidates where candidate.count <= mostCharacters {
      let changes = self.changes(from: written, to: Array(candidate.lowercased()))
      let isNear = changes <= max(1, min(written.count, candidate.count) / 3)
      if isNear && changes < best?.changes ?? .max { best = (candidate, changes) }
    }
    return best?.word
  }

  /// Counts the characters that are inserted, removed, replaced or swapped with their neighbour.
  private static func changes(from first: [Character], to second: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...second.count)
    for (row, character) in first.enumerated() {
      var current = [row + 1]
      for (column, other) in second.enumerated() {
        var least = min(last[column + 1] + 1, current[column] + 1)
        least = min(least, last[column] + (character == other ? 0 : 1))
        if row > 0, column > 0, character == second[column - 1], first[row - 1] == other {
          least = min(least, beforeLast[column - 1] + 1)
        }
        current.append(least)
      }
      (beforeLast, last) = (last, current)
    }
    return last[second.count]
  }
}
