// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Crypto
import Foundation
import GRDB
import StoredRows

/// Checksums of rows and tables, which detect values that differ from those that were written.
///
/// Each row has a checksum of its values. For each table, the table `seals` contains the number of
/// rows, the exclusive or of their checksums, and the number of changes. Temporary triggers of the
/// server's connection keep the checksums up to date. No statement can bypass them, and the file
/// itself has no triggers that other programs couldn't run.
///
/// The checksums detect damage. They don't protect against somebody who writes matching checksums.
enum RowChecksums {
  /// The column of a query that says whether a row's checksum matches.
  static let isWhole = "is_whole"

  /// Adds the functions that the SQL for checksums needs.
  static func addFunctions(to database: Database) {
    database.add(function: checksum)
    database.add(function: exclusiveOr)
  }

  /// Creates the table of seals.
  static func makeSeals(_ database: Database) throws {
    try database.execute(
      sql: """
        CREATE TABLE seals (
          name TEXT PRIMARY KEY, row_count INTEGER NOT NULL, row_sum INTEGER NOT NULL,
          changes INTEGER NOT NULL) WITHOUT ROWID
        """)
  }

  /// Adds the columns and seals of tables, with the checksums of all existing rows.
  static func migrate(_ database: Database, _ tables: [RepositoryTable]) throws {
    for table in tables {
      let name = table.rawValue
      try database.execute(
        sql: """
          ALTER TABLE \(name) ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
          UPDATE \(name) SET checksum = \(value(of: table));
          """)
      let sums = try Int64.fetchAll(database, sql: "SELECT checksum FROM \(name)")
      try database.execute(
        sql: "INSERT INTO seals (name, row_count, row_sum, changes) VALUES (?, ?, ?, 0)",
        arguments: [name, sums.count, sums.reduce(0, ^)])
    }
  }

  /// Keeps the checksums up to date as long as this connection is open.
  ///
  /// An update removes the checksum of the old values from the row's checksum and adds that of the
  /// new values. A row that was damaged before the update therefore stays detectable.
  ///
  /// Tables of an older version that have no checksums yet are left out.
  static func keep(_ database: Database) throws {
    for table in RepositoryTable.allCases where try isKept(table, database) {
      let (name, new, old) = (
        table.rawValue, value(of: table, in: "NEW."), value(of: table, in: "OLD.")
      )
      let key = table.key.map { "\($0) = NEW.\($0)" }.joined(separator: " AND ")
      func seal(_ rows: String, _ change: String) -> String {
        """
        UPDATE seals SET row_count = row_count\(rows), row_sum = exclusive_or(row_sum, \(change)),
          changes = changes + 1 WHERE name = '\(name)';
        """
      }
      try database.execute(
        sql: """
          CREATE TEMP TRIGGER \(name)_inserted AFTER INSERT ON main.\(name) BEGIN
            UPDATE \(name) SET checksum = \(new) WHERE \(key);
            \(seal(" + 1", new))
          END;
          CREATE TEMP TRIGGER \(name)_updated
          AFTER UPDATE OF \(table.columns.joined(separator: ", ")) ON main.\(name) BEGIN
            UPDATE \(name)
              SET checksum = exclusive_or(exclusive_or(OLD.checksum, \(old)), \(new)) WHERE \(key);
            \(seal("", "exclusive_or(\(old), \(new))"))
          END;
          CREATE TEMP TRIGGER \(name)_deleted AFTER DELETE ON main.\(name) BEGIN
            \(seal(" - 1", "OLD.checksum"))
          END;
          """)
    }
  }

  /// Whether a table has checksums.
  static func isKept(_ table: RepositoryTable, _ database: Database) throws -> Bool {
    guard try database.tableExists(table.rawValue) else { return false }
    return try database.columns(in: table.rawValue).contains { $0.name == "checksum" }
  }

  /// Returns the differences between a table and its seal, as sentences.
  static func faults(of table: RepositoryTable, _ database: Database) throws -> [String] {
    let name = table.rawValue
    guard
      let row = try Row.fetchOne(
        database, sql: "SELECT * FROM seals WHERE name = ?", arguments: [name])
    else { return ["The table 'seals' has no row for the table '\(name)'."] }
    let seal = CheckedRow(row, of: "seals", key: ["name"])
    let (count, sum) = (
      try seal.integer("row_count"), try seal.integer("row_sum", in: Int.min...Int.max)
    )
    _ = try seal.integer("changes")
    var (rows, present) = (0, 0)
    let checksums = try Row.fetchCursor(database, sql: "SELECT checksum FROM \(name)")
    while let row = try checksums.next() {
      rows += 1
      present ^= Int64.fromDatabaseValue(row["checksum"]).map { Int($0) } ?? 0
    }
    if rows != count {
      return [
        "The table '\(name)' should have \(count) \(count == 1 ? "row" : "rows"), but it has "
          + "\(rows)."
      ]
    }
    return present == sum
      ? [] : ["The rows of the table '\(name)' differ from those that were written last."]
  }

  /// Returns the number of row changes since checksums were introduced.
  static func changes(_ database: Database) throws -> Int {
    let statement = try database.cachedStatement(sql: "SELECT TOTAL(changes) FROM seals")
    return Int(clampedSum: try Double.fetchOne(statement) ?? 0)
  }

  /// Returns the SQL for the checksum of a row's values.
  static func value(of table: RepositoryTable, in row: String = "") -> String {
    // Texts are cast to bytes, because SQLite's functions return a text only up to its first zero
    // byte.
    let values = table.columns.map { "typeof(\(row)\($0)), CAST(\(row)\($0) AS BLOB)" }
    return "row_checksum('\(table.rawValue)', \(values.joined(separator: ", ")))"
  }

  private static let checksum = DatabaseFunction("row_checksum", pure: true) { values in
    var hash = SHA256()
    for value in values {
      switch value.storage {
      case .string(let text): hash.update(data: Data("t\(text.utf8.count):\(text)".utf8))
      case .blob(let bytes):
        hash.update(data: Data("b\(bytes.count):".utf8))
        hash.update(data: bytes)
      default: hash.update(data: Data("n".utf8))
      }
    }
    return hash.finalize().prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
  }

  /// Exclusive or, which SQLite lacks.
  ///
  /// If a value isn't an integer, it is damaged. The first value is then returned, so that the
  /// damage stays detectable.
  private static let exclusiveOr = DatabaseFunction(
    "exclusive_or", argumentCount: 2, pure: true
  ) { values in
    guard case .int64(let left) = values[0].storage, case .int64(let right) = values[1].storage
    else { return values[0] }
    return left ^ right
  }
}
#endif
