// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// A file of SQLite that the threads of this process use in turn.
///
/// Several processes can use a file at once: it keeps a log beside it (WAL), so that readers and the
/// one who writes do not wait for each other.
///
/// `@unchecked Sendable` because the connection is used on the queue only.
package final class SQLiteFile: @unchecked Sendable {
  /// The file.
  package let path: String
  private let connection: SQLiteConnection
  private let queue = DispatchQueue(label: "tensorio.sqlite")

  /// Opens a file, or makes it.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - busySeconds: How long another process is waited for.
  ///   - isDurable: Whether each change is on the disk when the call that made it returns; else a power
  ///     cut may take the last ones back.
  ///   - schema: What the file must have; it is made in a file that has none.
  /// - Throws: ``SQLiteError``; ``SQLiteSchema/Mismatch`` for a file of another kind, which stays as it
  ///   is.
  package init(
    _ path: String, busySeconds: Double, isDurable: Bool, schema: SQLiteSchema
  ) throws {
    self.path = path
    connection = try SQLiteConnection(path, busySeconds: busySeconds)
    // Nothing is written into a file before it is known to be ours.
    try connection.transaction("DEFERRED") { try schema.check($0) }
    try connection.execute(script: "PRAGMA foreign_keys = ON")
    try connection.execute(script: "PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL")")
    _ = try connection.rows("PRAGMA journal_mode = WAL")
    try schema.complete(connection)
  }

  /// Reads what is in the file at one moment.
  package func read<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
    try queue.sync { try connection.transaction("DEFERRED", body) }
  }

  /// Changes the file: all of it, or nothing where the body throws.
  package func write<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
    try queue.sync { try connection.transaction("IMMEDIATE", body) }
  }

  /// Writes the log beside the file into the file.
  package func checkpoint() throws {
    try queue.sync { _ = try connection.rows("PRAGMA wal_checkpoint(TRUNCATE)") }
  }
}

extension SQLiteConnection {
  /// Runs a transaction.
  fileprivate func transaction<Result>(
    _ kind: String, _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    try execute("BEGIN \(kind)")
    do {
      let result = try body(self)
      try execute("COMMIT")
      return result
    } catch {
      // SQLite has ended some transactions by itself when it fails.
      try? execute("ROLLBACK")
      throw error
    }
  }
}

/// The tables that a program keeps in a file, and how to tell its files from others'.
package struct SQLiteSchema: Sendable {
  /// What the file's header says whose it is.
  private let applicationID: Int
  /// The steps that make the tables, in order, by a name that is kept in the file.
  private let steps: [(name: String, script: String)]

  /// A file that is not what was expected.
  package enum Mismatch: Error {
    /// It is another program's.
    case foreign
    /// It was made by a later version of this program.
    case newer
  }

  /// Describes a file.
  package init(applicationID: Int, steps: [(name: String, script: String)]) {
    self.applicationID = applicationID
    self.steps = steps
  }

  /// Where the names of the steps are kept; the files of earlier versions have it by this name.
  private static let table = "grdb_migrations"

  /// The steps that a file has behind it.
  private func done(_ connection: SQLiteConnection) throws -> [String] {
    let tables = try connection.rows(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?", [Self.table])
    guard !tables.isEmpty else { return [] }
    return try connection.rows("SELECT identifier FROM \(Self.table)").map { row in
      if case .text(let name)? = row.values.first { name } else { "" }
    }
  }

  fileprivate func check(_ connection: SQLiteConnection) throws {
    let id = try connection.firstValue("PRAGMA application_id")
    let tables = try connection.firstValue(
      "SELECT COUNT(*) FROM sqlite_master WHERE name <> '\(Self.table)'")
    guard id == .integer(Int64(applicationID)) || (id == .integer(0) && tables == .integer(0))
    else {
      throw Mismatch.foreign
    }
    let known = Set(steps.map(\.name))
    guard try done(connection).allSatisfy(known.contains) else { throw Mismatch.newer }
  }

  /// Takes the steps that are missing; two processes may do so at once.
  fileprivate func complete(_ connection: SQLiteConnection) throws {
    let isMissing = { (done: [String]) in steps.contains { !done.contains($0.name) } }
    guard isMissing(try done(connection)) else { return }
    try connection.transaction("IMMEDIATE") { connection in
      try connection.execute(
        "CREATE TABLE IF NOT EXISTS \(Self.table) (identifier TEXT NOT NULL PRIMARY KEY)")
      let done = try done(connection)
      for step in steps where !done.contains(step.name) {
        try connection.execute(script: step.script)
        try connection.execute("INSERT INTO \(Self.table) (identifier) VALUES (?)", [step.name])
      }
      try connection.execute(script: "PRAGMA application_id = \(applicationID)")
    }
  }
}
