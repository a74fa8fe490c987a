// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import Foundation

/// A permission that a token grants.
public enum TokenScope: String, Sendable, Hashable, Codable, CaseIterable {
  /// Read models and blobs, if the server requires a token for that.
  ///
  /// Every other scope includes this one.
  case read
  /// Upload blobs, and publish and withdraw versions.
  case publish
  /// Set channels and roll them back.
  case rollout
  /// Take part in federated rounds.
  case train
  /// Do all of the above, manage tokens, read the audit log, and collect garbage.
  case admin
}

/// A token without its secret, as in `GET /v1/tokens`.
public struct TokenRecord: Sendable, Hashable, Codable {
  /// The token's id, which also appears in logs.
  public var id: String
  /// The token's name for people.
  public var name: String
  /// The permissions that it grants.
  public var scopes: [TokenScope]
  /// The models that it may be used for, as names in which `*` stands for any characters.
  public var models: [String]
  /// The time at which it was made.
  public var created: Date
  /// The date after which it is invalid, or nil if it doesn't expire.
  public var expires: Date?
  /// The time at which it was revoked, or nil if it wasn't.
  public var revoked: Date?

  package init(id: String, name: String, scopes: [TokenScope], models: [String], created: Date) {
    self.id = id
    self.name = name
    self.scopes = scopes
    self.models = models
    self.created = created
  }
}

/// A request for a new token, which is the body of `POST /v1/tokens`.
public struct TokenRequest: Sendable, Hashable, Codable {
  /// The token's name for people.
  public var name: String
  /// The permissions that it grants.
  public var scopes: [TokenScope]
  /// The models that it may be used for, or nil for all.
  public var models: [String]?
  /// The date after which it is invalid, or nil if it doesn't expire.
  public var expires: Date?

  /// Creates a request.
  public init(name: String, scopes: [TokenScope], models: [String]? = nil, expires: Date? = nil) {
    self.name = name
    self.scopes = scopes
    self.models = models
    self.expires = expires
  }
}

/// A new token with its secret, which the server returns only once.
public struct NewToken: Sendable, Hashable, Codable {
  /// The token.
  public var token: TokenRecord
  /// The secret, which follows `Authorization: Bearer`.
  public var secret: String

  package init(token: TokenRecord, secret: String) {
    self.token = token
    self.secret = secret
  }
}

/// The tokens of a repository, which `GET /v1/tokens` returns, the oldest first.
package struct TokenList: Sendable, Hashable, Codable {
  package var tokens: [TokenRecord]

  package init(tokens: [TokenRecord]) { self.tokens = tokens }
}

/// A key of a repository, as `tensorio repository keys list` shows it.
public struct KeyRecord: Sendable, Hashable, Codable {
  /// The kind of documents that a key signs.
  public enum Role: String, Sendable, Codable {
    /// Root documents.
    case root
    /// Channel documents.
    case channels
  }

  /// The state of a key.
  public enum State: String, Sendable, Codable {
    /// The root document names the key, and the private key is kept elsewhere.
    case trusted
    /// The server signs with it.
    case signing
    /// The root document names the key, but its private key isn't in the data folder.
    case missing
    /// The key has expired.
    case expired
    /// The private key is in the data folder, but the root document doesn't name the key.
    case unnamed
    /// The key may be in other hands, and clients reject it.
    case revoked
  }

  /// See ``VerificationKey/id``.
  public var id: String
  /// See ``VerificationKey/text``.
  public var key: String
  /// The kind of documents that it signs.
  public var role: Role
  /// The key's state.
  public var state: State
  /// The `NAME` of the file `keys/NAME.key`, or nil if the file is missing.
  public var name: String?
  /// The date after which clients reject its signatures, or nil if it has none.
  public var expires: Date?

  package init(_ key: VerificationKey, role: Role, state: State) {
    id = key.id
    self.key = key.text
    self.role = role
    self.state = state
  }
}

/// The keys that a server signs with, which `GET /v1/keys` returns.
package struct KeyList: Sendable, Hashable, Codable {
  package struct Key: Sendable, Hashable, Codable {
    /// See ``VerificationKey/id``.
    package var id: String
    /// See ``VerificationKey/text``.
    package var key: String

    package init(_ key: VerificationKey) {
      id = key.id
      self.key = key.text
    }
  }

  package var keys: [Key]

  package init(keys: [Key]) { self.keys = keys }
}

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

  package init(id: Int, time: Date, action: String, subject: String) {
    self.id = id
    self.time = time
    self.action = action
    self.subject = subject
  }
}

/// A part of the audit log, which `GET /v1/audit` returns, the newest record first.
package struct AuditLog: Sendable, Hashable, Codable {
  package var records: [AuditRecord]

  package init(records: [AuditRecord]) { self.records = records }
}

/// The result of a garbage collection, which `POST /v1/gc` returns.
public struct CollectionReport: Sendable, Hashable, Codable {
  /// The number of removed blobs that no version uses.
  public var blobs = 0
  /// The number of removed blob files that the database didn't list.
  public var orphans = 0
  /// The number of removed uploads that were abandoned.
  public var uploads = 0
  /// The total size of what was removed, in bytes.
  public var bytes = 0

  /// A collection that removed nothing.
  package static let nothing = CollectionReport()
}
#endif
