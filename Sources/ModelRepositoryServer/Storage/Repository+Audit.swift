// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import ModelRepositoryAPI
import StoredRows

extension Repository {
  /// Notes a change, in the transaction that makes it.
  func audit(
    _ database: Database, _ token: String?, _ action: String, _ subject: String,
    _ detail: String? = nil
  ) throws {
    try database.execute(
      sql: "INSERT INTO audit (time, token, action, subject, detail) VALUES (?, ?, ?, ?, ?)",
      arguments: [now, token, action, subject, detail])
  }

  /// A part of the audit log, the newest first.
  ///
  /// - Parameters:
  ///   - before: Only older ones than this; nil begins with the newest.
  ///   - limit: How many at most.
  /// - Returns: The changes.
  /// - Throws: What the database does.
  func auditLog(before: Int?, limit: Int) async throws -> AuditLog {
    try await database.read { database in
      let rows = try Row.fetchAll(
        database, sql: "\(RepositoryTable.audit.rows) WHERE id < ? ORDER BY id DESC LIMIT ?",
        arguments: [before ?? Int.max, limit])
      return AuditLog(
        records: try rows.map {
          try CheckedRow.read($0, of: .audit) { try Self.auditRecord($0) }
        })
    }
  }

  static func auditRecord(_ row: CheckedRow) throws -> AuditRecord {
    AuditRecord(
      id: try row.integer("id", in: 1...Int.max), time: try row.time("time"),
      token: try row.optionalText("token"), action: try row.text("action"),
      subject: try row.text("subject"), detail: try row.optionalText("detail"))
  }
}
