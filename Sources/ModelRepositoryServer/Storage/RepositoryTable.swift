// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

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
}

extension CheckedRow {
  /// Wraps a row of a table.
  init(_ row: Row, of table: RepositoryTable) {
    self.init(row, of: table.rawValue, key: table.key)
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
    let statement = try cachedStatement(sql: "SELECT digest, size FROM blobs WHERE digest = ?")
    return try Row.fetchOne(statement, arguments: [digest.hexadecimal]).map {
      try CheckedRow($0, of: .blobs).integer("size")
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
        values.append(try read(CheckedRow(row, of: table)))
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
