// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import GRDB
import ModelRepositoryAPI
import StoredRows

/// The tables of `meta.sqlite` whose rows are read.
enum RepositoryTable: String, CaseIterable, Sendable {
  case blobs, uploads, models, versions, tokens, audit
  case versionBlobs = "version_blobs"
  case channelDocuments = "channel_documents"

  /// The columns that tell a row from others.
  var key: [String] {
    switch self {
    case .blobs: ["digest"]
    case .uploads, .tokens, .audit: ["id"]
    case .models: ["name"]
    case .versions: ["model", "version"]
    case .versionBlobs: ["model", "version", "digest"]
    case .channelDocuments: ["model", "channel", "document_version"]
    }
  }

  /// The columns that were there before checksums were, of which a row's checksum is made.
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
    }
  }

  /// SQL that selects whole rows, and whether their checksums fit; conditions may follow.
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

  /// Reads a row, and refuses one whose checksum does not fit.
  ///
  /// What `read` finds comes first, since it names the column.
  ///
  /// - Parameters:
  ///   - row: A row; its checksum is compared where ``RepositoryTable/rows`` selected it.
  ///   - table: The table that it is in.
  ///   - read: Makes a value of it.
  /// - Returns: The value.
  /// - Throws: `DamagedRow`, and what `read` throws.
  static func read<Value>(
    _ row: Row, of table: RepositoryTable, _ read: (CheckedRow) throws -> Value
  ) throws -> Value {
    let value = try read(CheckedRow(row, of: table))
    try checkWhole(row, of: table)
    return value
  }

  /// Refuses a row whose checksum does not fit.
  ///
  /// - Throws: `DamagedRow`.
  static func checkWhole(_ row: Row, of table: RepositoryTable) throws {
    guard row.hasColumn(RowChecksums.isWhole) else { return }
    let checked = CheckedRow(row, of: table)
    guard try checked.flag(RowChecksums.isWhole) else {
      throw checked.damaged("its checksum does not fit its values, so that one of them has changed")
    }
  }

  /// A name of a model, a version or a channel.
  ///
  /// - Throws: `DamagedRow`.
  func name(_ column: String) throws -> RepositoryName {
    guard let name = RepositoryName(try text(column)) else {
      throw mismatch(column, "a name of letters, digits, '.', '_' and '-'")
    }
    return name
  }

  /// A digest of 64 hexadecimal digits.
  ///
  /// - Throws: `DamagedRow`.
  func digest(_ column: String) throws -> BlobDigest {
    guard let digest = BlobDigest("sha256:" + (try text(column))) else {
      throw mismatch(column, "64 lowercase hexadecimal digits")
    }
    return digest
  }

  /// A blob's digest and size, in the columns `digest` and `size`.
  ///
  /// - Throws: `DamagedRow`.
  func blob() throws -> BlobReference {
    BlobReference(digest: try digest("digest"), size: try integer("size"))
  }
}

extension Database {
  /// The size of a blob, as its row says; nil where there is no row.
  ///
  /// - Throws: `DamagedRow`, and what the database throws.
  func blobSize(_ digest: BlobDigest) throws -> Int? {
    let statement = try cachedStatement(sql: RepositoryTable.blobs.rows + " WHERE digest = ?")
    return try Row.fetchOne(statement, arguments: [digest.hexadecimal]).map {
      try CheckedRow.read($0, of: .blobs) { try $0.integer("size") }
    }
  }

  /// The rows of a query, without those that are damaged.
  ///
  /// - Parameters:
  ///   - table: The table that the rows are in.
  ///   - sql: The query.
  ///   - arguments: Its arguments.
  ///   - faults: Gets the sentences that describe the damaged rows.
  ///   - read: Makes a value of a row.
  /// - Returns: The values.
  /// - Throws: What the database throws.
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
  /// A sum that SQLite's `TOTAL` made, which is a number with a fraction; what has no place in an
  /// integer becomes the largest one.
  init(clampedSum sum: Double) {
    self = sum < 0 ? 0 : Int(exactly: sum.rounded()) ?? .max
  }
}
#endif
