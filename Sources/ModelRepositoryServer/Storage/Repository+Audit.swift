// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import GRDB
import ModelRepositoryAPI
import StoredRows
import Synchronization

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
    var record = AuditRecord(
      id: try row.integer("id", in: 1...Int.max), time: try row.time("time"),
      action: try row.text("action"), subject: try row.text("subject"))
    record.token = try row.optionalText("token")
    record.detail = try row.optionalText("detail")
    record.before = try row.optionalText("value_before")
    record.after = try row.optionalText("value_after")
    return record
  }
}

/// The requests whose tokens were refused, for the audit log.
///
/// The first one is written immediately. The following ones are counted and written together, at
/// most every ten minutes, so that nobody can fill the disk with wrong tokens.
final class FailedAuthentications: Sendable {
  struct Summary: Sendable, Equatable {
    var count = 0
    var addresses: [String] = []
    var hasMoreAddresses = false

    var subject: String {
      addresses.joined(separator: " ") + (hasMoreAddresses ? " and others" : "")
    }

    var detail: String {
      "\(count) \(count == 1 ? "request" : "requests") with a token that is unknown, has expired "
        + "or was revoked"
    }
  }

  private struct State {
    var written: Date?
    var pending = Summary()
  }

  /// The minimum number of seconds between two records.
  static let interval: TimeInterval = 600
  private static let maximumAddresses = 5

  private let state = Mutex(State())

  /// Counts a request, and returns the summary to write now; nil if the last record is too recent.
  func note(_ address: String, at now: Date) -> Summary? {
    state.withLock { state in
      state.pending.count += 1
      if !state.pending.addresses.contains(address) {
        if state.pending.addresses.count < Self.maximumAddresses {
          state.pending.addresses.append(address)
        } else {
          state.pending.hasMoreAddresses = true
        }
      }
      // If the clock was set back, records are still written.
      guard state.written.map({ abs(now.timeIntervalSince($0)) >= Self.interval }) ?? true else {
        return nil
      }
      return Self.take(&state, now)
    }
  }

  /// Returns what hasn't been written yet, before somebody reads the log.
  func takeRest(at now: Date) -> Summary? {
    state.withLock { $0.pending.count > 0 ? Self.take(&$0, now) : nil }
  }

  private static func take(_ state: inout State, _ now: Date) -> Summary {
    state.written = now
    defer { state.pending = Summary() }
    return state.pending
  }
}
#endif
