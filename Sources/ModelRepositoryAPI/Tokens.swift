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

  /// Creates a record.
  public init(
    id: String, name: String, scopes: [TokenScope], models: [String], created: Date,
    expires: Date? = nil, revoked: Date? = nil
  ) {
    self.id = id
    self.name = name
    self.scopes = scopes
    self.models = models
    self.created = created
    self.expires = expires
    self.revoked = revoked
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
  public init(
    name: String, scopes: [TokenScope], models: [String]? = nil, expires: Date? = nil
  ) {
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

  /// Creates a new token.
  public init(token: TokenRecord, secret: String) {
    self.token = token
    self.secret = secret
  }
}

/// The tokens of a repository.
public struct TokenList: Sendable, Hashable, Codable {
  /// The tokens, the oldest first.
  public var tokens: [TokenRecord]

  /// Creates a list.
  public init(tokens: [TokenRecord]) { self.tokens = tokens }
}
#endif
