// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import GRDB
import ModelRepositoryAPI
import StoredRows

/// The tables of `meta.sqlite` that the server reads.
enum RepositoryTable: String, CaseIterable, Sendable {
  case blobs, uploads, models, versions, tokens, audit
  case versionBlobs = "version_blobs"
  case channelDocuments = "channel_documents"
  case rounds
  case roundClients = "round_clients"

  /// The tables that existed when checksums were added.
  static let first = allCases.filter { ![.rounds, .roundClients].contains($0) }

  /// The columns that identify a row.
  var key: [String] {
    switch self {
    case .blobs: ["digest"]
    case .uploads, .tokens, .audit: ["id"]
    case .models: ["name"]
    case .versions: ["model", "version"]
    case .versionBlobs: ["model", "version", "digest"]
    case .channelDocuments: ["model", "channel", "document_version"]
    case .rounds: ["model", "round"]
    case .roundClients: ["model", "round", "client"]
    }
  }

  /// The columns that a row's checksum covers: those that existed before checksums were added.
  var columns: [String] {
    switch self {
    case .blobs: ["digest", "size", "used"]
    case .uploads: ["id", "token", "offset", "used"]
    case .models: ["name", "created"]
    case .versions:
      [
        "model", "version", "sequence", "manifest_digest", "manifest_size", "size", "published",
        "withdrawn",
      ]
    case .versionBlobs: ["model", "version", "digest", "size"]
    case .channelDocuments:
      [
        "model", "channel", "document_version", "cause", "restores", "renewal", "keys", "content",
        "signed",
      ]
    case .tokens:
      ["id", "secret_hash", "name", "scopes", "models", "created", "expires", "revoked"]
    case .audit:
      [
        "id", "time", "token", "action", "subject", "detail", "value_before", "value_after",
      ]
    case .rounds:
      [
        "model", "round", "state", "created", "deadline", "signed", "reason", "ended", "average",
      ]
    case .roundClients:
      ["model", "round", "client", "secret_hash", "token", "enrolled", "digest", "examples"]
    }
  }

  /// The SQL that selects whole rows and whether their checksums match; conditions may follow it.
  var rows: String {
    "SELECT *, checksum IS \(RowChecksums.value(of: self)) AS \(RowChecksums.isWhole) "
      + "FROM \(rawValue)"
  }
}

extension CheckedRow {
  /// Wraps a row of a table.
  init(_ row: Row, of table: RepositoryTable) {
    self.init(row, of: table.rawValue, key: table.key)
  }

  /// Reads a row, and rejects it if its checksum doesn't match.
  ///
  /// The errors of `read` come first, because they name the column. The checksum is compared if the
  /// row was selected by ``RepositoryTable/rows``.
  static func read<Value>(
    _ row: Row, of table: RepositoryTable, _ read: (CheckedRow) throws -> Value
  ) throws -> Value {
    let value = try read(CheckedRow(row, of: table))
    try checkWhole(row, of: table)
    return value
  }

  /// Rejects a row whose checksum doesn't match.
  static func checkWhole(_ row: Row, of table: RepositoryTable) throws {
    guard row.hasColumn(RowChecksums.isWhole) else { return }
    let checked = CheckedRow(row, of: table)
    guard try checked.flag(RowChecksums.isWhole) else {
      throw checked.damaged("its checksum doesn't match its values, so one of them has changed")
    }
  }

  /// Returns the name of a model, a version or a channel.
  func name(_ column: String) throws -> RepositoryName {
    guard let name = RepositoryName(try text(column)) else {
      throw mismatch(column, "a name of letters, digits, '.', '_' and '-'")
    }
    return name
  }

  /// Returns a digest of 64 hexadecimal digits.
  func digest(_ column: String) throws -> BlobDigest {
    guard let digest = BlobDigest("sha256:" + (try text(column))) else {
      throw mismatch(column, "64 lowercase hexadecimal digits")
    }
    return digest
  }

  /// Returns a blob's digest and size from the columns `digest` and `size`.
  func blob() throws -> BlobReference {
    BlobReference(digest: try digest("digest"), size: try integer("size"))
  }
}

extension Database {
  /// Returns a blob's size from its row; nil if there is no row.
  func blobSize(_ digest: BlobDigest) throws -> Int? {
    let statement = try cachedStatement(sql: RepositoryTable.blobs.rows + " WHERE digest = ?")
    return try Row.fetchOne(statement, arguments: [digest.hexadecimal]).map {
      try CheckedRow.read($0, of: .blobs) { try $0.integer("size") }
    }
  }

  /// Returns the values of a table's rows, all of which have to be intact.
  ///
  /// The condition is the SQL after the table's name.
  func all<Value>(
    _ table: RepositoryTable, _ condition: String, _ arguments: StatementArguments,
    _ read: (CheckedRow) throws -> Value
  ) throws -> [Value] {
    try Row.fetchAll(self, sql: "\(table.rows) \(condition)", arguments: arguments)
      .map { try CheckedRow.read($0, of: table, read) }
  }

  /// Returns the first value of ``all(_:_:_:_:)`` that is wanted; rows are read one by one until it
  /// is found.
  func first<Value>(
    _ table: RepositoryTable, _ condition: String, _ arguments: StatementArguments,
    _ read: (CheckedRow) throws -> Value, where isWanted: (Value) throws -> Bool = { _ in true }
  ) throws -> Value? {
    let rows = try Row.fetchCursor(self, sql: "\(table.rows) \(condition)", arguments: arguments)
    while let row = try rows.next() {
      let value = try CheckedRow.read(row, of: table, read)
      if try isWanted(value) { return value }
    }
    return nil
  }

  /// Returns the values of a query's intact rows, and adds descriptions of the others to `faults`.
  func sound<Value>(
    _ table: RepositoryTable, _ sql: String, _ arguments: StatementArguments = [],
    faults: inout [String], _ read: (CheckedRow) throws -> Value
  ) throws -> [Value] {
    var values: [Value] = []
    let rows = try Row.fetchCursor(self, sql: sql, arguments: arguments)
    while let row = try rows.next() {
      do {
        values.append(try CheckedRow.read(row, of: table, read))
      } catch let error as DamagedRow {
        faults.append("\(error)")
      }
    }
    return values
  }
}

extension Int {
  /// Creates an integer from a sum of SQLite's `TOTAL`, which is a floating-point number.
  ///
  /// A negative sum becomes 0, and a sum that is too large becomes the largest integer.
  init(clampedSum sum: Double) {
    self = sum < 0 ? 0 : Int(exactly: sum.rounded()) ?? .max
  }
}

extension CheckedRow {
  /// Wraps a row from GRDB, whose own subscripts crash if a value has an unexpected type.
  init(_ row: Row, of table: String, key: [String]) {
    self.init(
      StoredRow(columns: Array(row.columnNames), values: row.databaseValues.map(StoredValue.init)),
      of: table, key: key)
  }

  /// Returns a time in GRDB's format, `2026-11-23 09:00:00.000` in UTC.
  func time(_ column: String) throws -> Date {
    guard let time = try optionalTime(column) else { throw mismatch(column, "a time") }
    return time
  }

  /// Returns a time, or nil for NULL.
  func optionalTime(_ column: String) throws -> Date? {
    switch try value(column) {
    case .null: return nil
    case .text(let text):
      guard Self.isTime(text), let time = Date.fromDatabaseValue(text.databaseValue)
      else { fallthrough }
      return time
    default: throw mismatch(column, "a time like '2026-11-23 09:00:00.000'")
    }
  }

  /// Whether a text has the format `YYYY-MM-DD HH:MM:SS.SSS`, with a day that exists.
  private static func isTime(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let pattern = Array("0000-00-00 00:00:00.000".utf8)
    let digit = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard bytes.count == pattern.count,
      zip(bytes, pattern).allSatisfy({
        $1 == digit.lowerBound ? digit.contains($0) : $0 == $1
      })
    else { return false }
    func number(_ range: Range<Int>) -> Int {
      bytes[range].reduce(0) { $0 * 10 + Int($1 - digit.lowerBound) }
    }
    let (year, month) = (number(0..<4), number(5..<7))
    let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let days = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return (1...12).contains(month) && (1...days[month - 1]).contains(number(8..<10))
      && number(11..<13) < 24 && number(14..<16) < 60 && number(17..<19) < 60
  }
}

extension StoredValue {
  /// Creates a value from GRDB's.
  fileprivate init(_ value: DatabaseValue) {
    self =
      switch value.storage {
      case .null: .null
      case .int64(let integer): .integer(integer)
      case .double(let number): .real(number)
      case .string(let text): .text(text)
      case .blob(let bytes): .blob(bytes)
      }
  }
}
#endif
