// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import Foundation

/// Who changed what and when, or that tokens were refused.
public struct AuditRecord: Sendable, Hashable, Codable {
  /// Counts the changes, from 1.
  public var id: Int
  /// When it was.
  public var time: Date
  /// The token; nil for the command line, and for tokens that were refused.
  public var token: String?
  /// What was done, such as `version.publish`; ``refusedToken`` for requests that were refused.
  public var action: String
  /// What it was done to, such as `cats/2.0`.
  public var subject: String
  /// What else matters.
  public var detail: String?
  /// What it was before; a channel's content is JSON.
  public var before: String?
  /// What it is afterwards.
  public var after: String?

  /// The action of records that tell of refused tokens; the subject has the clients' addresses.
  public static let refusedToken = "token.refused"

  /// Makes a record.
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

/// A part of the audit log: `GET /v1/audit`.
public struct AuditLog: Sendable, Hashable, Codable {
  /// The changes, the newest first.
  public var records: [AuditRecord]

  /// Makes a part of the log.
  public init(records: [AuditRecord]) { self.records = records }
}

/// What a collection of garbage took away: `POST /v1/gc`.
public struct CollectionReport: Sendable, Hashable, Codable {
  /// How many blobs that no version names.
  public var blobs: Int
  /// How many files that were nobody's.
  public var orphans: Int
  /// How many uploads that nobody went on with.
  public var uploads: Int
  /// How many bytes all of these had.
  public var bytes: Int

  /// Makes a report.
  public init(blobs: Int = 0, orphans: Int = 0, uploads: Int = 0, bytes: Int = 0) {
    self.blobs = blobs
    self.orphans = orphans
    self.uploads = uploads
    self.bytes = bytes
  }
}
#endif
