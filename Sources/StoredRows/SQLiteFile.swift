// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// An SQLite file that the threads of this process use in turn.
///
/// Several processes can use a file at the same time. The file uses a write-ahead log (WAL), so
/// that readers and a writer don't wait for each other.
///
/// `@unchecked Sendable` because the connection is only used on the queue.
package final class SQLiteFile: @unchecked Sendable {
  package let path: String
  private let connection: SQLiteConnection
  private let queue = DispatchQueue(label: "tensorio.sqlite")

  /// Opens or creates a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - busySeconds: The number of seconds to wait for another process.
  ///   - isDurable: Whether each change is on the disk when the call that made it returns.
  ///     Otherwise, a power failure may undo the last changes.
  ///   - schema: The schema that the file must have. An empty file gets it.
  /// - Throws: ``SQLiteError``, or ``SQLiteSchema/Mismatch`` for a file of another kind, which
  ///   isn't changed.
  package init(
    _ path: String, busySeconds: Double, isDurable: Bool, schema: SQLiteSchema
  ) throws {
    self.path = path
    connection = try SQLiteConnection(path, busySeconds: busySeconds)
    // Nothing is written to a file before it is known to be this program's.
    try connection.transaction("DEFERRED") { try schema.check($0) }
    try connection.execute(script: "PRAGMA foreign_keys = ON")
    try connection.execute(script: "PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL")")
    _ = try connection.rows("PRAGMA journal_mode = WAL")
    try schema.complete(connection)
  }

  /// Reads a consistent snapshot of the file.
  package func read<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
    try queue.sync { try connection.transaction("DEFERRED", body) }
  }

  /// Changes the file in a transaction, which is rolled back if the closure throws.
  package func write<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
    try queue.sync { try connection.transaction("IMMEDIATE", body) }
  }

  /// Writes the content of the log into the file.
  package func checkpoint() throws {
    try queue.sync { _ = try connection.rows("PRAGMA wal_checkpoint(TRUNCATE)") }
  }
}

extension SQLiteConnection {
  fileprivate func transaction<Result>(
    _ kind: String, _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    try execute("BEGIN \(kind)")
    do {
      let result = try body(self)
      try execute("COMMIT")
      return result
    } catch {
      // After some failures, SQLite has already ended the transaction.
      try? execute("ROLLBACK")
      throw error
    }
  }
}

/// The tables of a program's files, and how to distinguish these files from others.
package struct SQLiteSchema: Sendable {
  /// The number in the file's header that identifies the program.
  private let applicationID: Int
  /// The steps that create the tables, in order; the file records the names of its steps.
  private let steps: [(name: String, script: String)]

  /// A file that differs from what was expected.
  package enum Mismatch: Error {
    /// The file belongs to another program.
    case foreign
    /// A newer version of this program created the file.
    case newer
  }

  package init(applicationID: Int, steps: [(name: String, script: String)]) {
    self.applicationID = applicationID
    self.steps = steps
  }

  /// The table with the names of the steps; files of earlier versions already use this name.
  private static let table = "grdb_migrations"

  /// Returns the steps that a file has already gone through.
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

  /// Runs the missing steps; it is safe for two processes to do so at once.
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
