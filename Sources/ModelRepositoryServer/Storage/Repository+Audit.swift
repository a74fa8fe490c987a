// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import GRDB
import ModelRepositoryAPI
import StoredRows

extension Repository {
  /// Adds a record to the audit log, in the transaction that makes the change.
  func audit(
    _ database: Database, _ token: String?, _ action: String, _ subject: String,
    _ detail: String? = nil, before: String? = nil, after: String? = nil
  ) throws {
    try database.execute(
      sql: """
        INSERT INTO audit (time, token, action, subject, detail, value_before, value_after)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """, arguments: [now, token, action, subject, detail, before, after])
  }

  /// Returns a channel's content for the audit log.
  ///
  /// A very long content is truncated, because the channel's history has all of it.
  static func auditText(_ content: ChannelContent) throws -> String {
    let text = String(decoding: try RepositoryJSON.encode(content), as: UTF8.self)
    guard text.utf8.count > maximumAuditText else { return text }
    return String(text.prefix(maximumAuditText)) + "... (see the channel's history)"
  }

  private static let maximumAuditText = 4096

  /// Returns a page of the audit log, the newest record first.
  ///
  /// It contains only records with numbers lower than `before`, from the time `since` on.
  func auditLog(before: Int?, since: Date? = nil, limit: Int) async throws -> AuditLog {
    if let rest = refusedTokens.takeRest(at: now) { try await record(rest) }
    return try await database.read {
      try Self.auditLog(before: before, since: since, limit: limit, $0)
    }
  }

  /// Returns a page of a database's audit log.
  static func auditLog(
    before: Int?, since: Date?, limit: Int, _ database: Database
  ) throws -> AuditLog {
    AuditLog(
      records: try database.all(
        .audit, "WHERE id < ?1 AND (?2 IS NULL OR time >= ?2) ORDER BY id DESC LIMIT ?3",
        [before ?? Int.max, since, limit], auditRecord))
  }

  /// Records that a request from an address had a token that isn't valid.
  func noteRefusedToken(from address: String) async throws {
    if let summary = refusedTokens.note(address, at: now) { try await record(summary) }
  }

  /// Writes the refused tokens that were only counted so far, for example when the server stops.
  func recordRefusedTokens() async throws {
    if let rest = refusedTokens.takeRest(at: now) { try await record(rest) }
  }

  private func record(_ refused: FailedAuthentications.Summary) async throws {
    try await database.write { [self] database in
      try audit(database, nil, AuditRecord.refusedToken, refused.subject, refused.detail)
    }
  }

  static func auditRecord(_ row: CheckedRow) throws -> AuditRecord {
    AuditRecord(
      id: try row.integer("id", in: 1...Int.max), time: try row.time("time"),
      token: try row.optionalText("token"), action: try row.text("action"),
      subject: try row.text("subject"), detail: try row.optionalText("detail"),
      before: try row.optionalText("value_before"), after: try row.optionalText("value_after"))
  }
}
#endif
