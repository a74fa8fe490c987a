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

  /// The names of samples that have a row, in a run without a manifest.
  private var names: Set<ExactName> = []
  /// Those of them that failed.
  private var failedNames: Set<ExactName> = []
  /// The archives of a part that aren't complete, or in which samples failed, by position.
  private(set) var archives: [Int: StoredArchive] = [:]

  private let part: BulkPart?
  /// A byte for each item of the part, because names would need far more memory.
  private var states: [State]
  /// The numbers of samples of the items in ``states``.
  private var whole: BulkItem.Counts

  /// Makes an empty set for a part of a manifest, or for a run without one.
  init(of part: BulkPart?) {
    self.part = part
    states = Array(repeating: .missing, count: part?.share ?? 0)
    whole = BulkItem.Counts(known: states.count, done: 0, failed: 0)
  }

  /// Whether a sample has a row, in a run without a manifest.
  func hasRow(of name: String) -> Bool { names.contains(ExactName(name)) }

  /// Whether a sample that has a row failed, in a run without a manifest.
  func hasFailed(_ name: String) -> Bool { failedNames.contains(ExactName(name)) }

  /// The numbers of samples of a part, where an archive that isn't complete is one.
  var counts: BulkItem.Counts {
    archives.values.reduce(into: whole) { counts, archive in
      guard archive.isComplete else { return }
      counts.known += archive.samples - 1
      counts.done += archive.samples
      counts.failed += archive.failed.count + (archive.isFailed ? 1 : 0)
    }
  }

  /// Whether the item at a position in the part has all of its rows.
  func contains(_ position: Int) -> Bool {
    states[position] != .missing || archives[position]?.isComplete == true
  }

  /// Adds the sample of a row, unless the row is of another part.
  mutating func add(_ row: BulkRow) {
    guard let part else {
      let name = ExactName(row.result.image)
      names.insert(name)
      if row.result.error { failedNames.insert(name) }
      return
    }
    let index = row.result.index
    guard index >= 0, index < part.items, index % part.count == part.index - 1 else { return }
    let position = index / part.count
    guard states[position] == .missing else { return }
    if row.place == nil {
      states[position] = row.result.error ? .failed : .stored
      whole.done += 1
      if row.result.error { whole.failed += 1 }
      return
    }
    archives[position, default: StoredArchive()].add(row)
    if let archive = archives[position], archive.isComplete, !archive.hasFailures {
      // The members of a complete archive needn't be remembered.
      archives[position] = nil
      states[position] = .stored
      whole.known += archive.samples - 1
      whole.done += archive.samples
    }
  }

  /// Removes the samples that failed, so that they run again.
  mutating func dropFailures() {
    names.subtract(failedNames)
    failedNames = []
    for position in states.indices where states[position] == .failed { states[position] = .missing }
    whole.done -= whole.failed
    whole.failed = 0
    for position in archives.keys { archives[position]?.dropFailures() }
  }
}

/// The rows of an archive that is an item of a manifest.
struct StoredArchive: Sendable {
  /// The indices of the files that have a row.
  private(set) var members: Set<Int> = []
  /// Those of them that failed.
  private(set) var failed: Set<Int> = []
  /// Whether the archive couldn't be read to its end.
  private(set) var isFailed = false
  /// The number of files, from the archive's last row; nil if it is missing.
  private var count: Int?

  /// Whether all rows are there.
  var isComplete: Bool { count == members.count }

  /// Whether a file failed, or the archive itself.
  var hasFailures: Bool { isFailed || !failed.isEmpty }

  /// The number of rows that are samples.
  var samples: Int { members.count + (isFailed ? 1 : 0) }

  mutating func add(_ row: BulkRow) {
    switch row.place {
    case .member(let member):
      members.insert(member)
      if row.result.error { failed.insert(member) }
    case .end(let members):
      count = members
      isFailed = row.result.error
    case nil: break
    }
  }

  mutating func dropFailures() {
    // The archive's last row is removed, too.
    if hasFailures { count = nil }
    members.subtract(failed)
    failed = []
    isFailed = false
  }
}
