// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The samples of one model that have a row in the results, and those of them that failed.
struct StoredSamples: Sendable {
  private enum State: UInt8 {
    case missing, stored, failed
  }

  /// The number of samples of a part that have a row.
  private(set) var count = 0
  /// The number of samples of a part whose row is an error.
  private(set) var failedCount = 0
  /// The names of samples that have a row, in a run without a manifest.
  private(set) var names: Set<String> = []
  /// Those of them that failed.
  private(set) var failedNames: Set<String> = []

  private let part: BulkPart?
  /// A byte for each sample of the part, because names would need far more memory.
  private var states: [State]

  /// Makes an empty set for a part of a manifest, or for a run without one.
  init(of part: BulkPart?) {
    self.part = part
    states = Array(repeating: .missing, count: part?.share ?? 0)
  }

  /// Whether the sample at a position in the part has a row.
  func contains(_ position: Int) -> Bool { states[position] != .missing }

  /// Adds the sample of a row, unless the row is of another part.
  mutating func add(_ row: BulkRow) {
    guard let part else {
      names.insert(row.result.image)
      if row.result.error { failedNames.insert(row.result.image) }
      return
    }
    let index = row.result.index
    guard index >= 0, index < part.items, index % part.count == part.index - 1,
      !contains(index / part.count)
    else { return }
    states[index / part.count] = row.result.error ? .failed : .stored
    count += 1
    if row.result.error { failedCount += 1 }
  }

  /// Removes the samples that failed, so that they run again.
  mutating func dropFailures() {
    names.subtract(failedNames)
    failedNames = []
    for position in states.indices where states[position] == .failed { states[position] = .missing }
    count -= failedCount
    failedCount = 0
  }
}
