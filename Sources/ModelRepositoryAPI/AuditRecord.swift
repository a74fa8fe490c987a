// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import Foundation

/// A record of who changed what and when, or of refused tokens.
public struct AuditRecord: Sendable, Hashable, Codable {
  /// The record's number, from 1.
  public var id: Int
  /// The time of the change.
  public var time: Date
  /// The id of the token, or nil for the command line and for refused tokens.
  public var token: String?
  /// The action, such as `version.publish`, or ``refusedToken`` for requests that were refused.
  public var action: String
  /// The subject of the action, such as `cats/2.0`.
  public var subject: String
  /// Further details.
  public var detail: String?
  /// The value before the change, which is JSON for a channel's content.
  public var before: String?
  /// The value after the change.
  public var after: String?

  /// The action of records of refused tokens.
  ///
  /// Their subject has the clients' addresses.
  public static let refusedToken = "token.refused"

  /// Creates a record.
  public init(
    id: Int, time: Date, token: String?, action: String, subject: String, detail: String? = nil,
    before: String? = nil, after: String? = nil
  ) {
    self.id = id
    self.time = time
    self.token = token
    self.action = action
    self.subject = subject
    self.detail = detail
    self.before = before
    self.after = after
  }
}

/// A part of the audit log, which `GET /v1/audit` returns.
public struct AuditLog: Sendable, Hashable, Codable {
  /// The records, the newest first.
  public var records: [AuditRecord]

  /// Creates a part of the log.
  public init(records: [AuditRecord]) { self.records = records }
}

/// The result of a garbage collection, which `POST /v1/gc` returns.
public struct CollectionReport: Sendable, Hashable, Codable {
  /// The number of removed blobs that no version uses.
  public var blobs: Int
  /// The number of removed blob files that the database didn't list.
  public var orphans: Int
  /// The number of removed uploads that were abandoned.
  public var uploads: Int
  /// The total size of what was removed, in bytes.
  public var bytes: Int

  /// Creates a report.
  public init(blobs: Int = 0, orphans: Int = 0, uploads: Int = 0, bytes: Int = 0) {
    self.blobs = blobs
    self.orphans = orphans
    self.uploads = uploads
    self.bytes = bytes
  }
}
#endif
