// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import Foundation

/// What a token lets its bearer do.
public enum TokenScope: String, Sendable, Hashable, Codable, CaseIterable {
  /// Read models and blobs, where a server wants a token for that. Every other scope includes it.
  case read
  /// Upload blobs, publish and withdraw versions.
  case publish
  /// Set channels and roll them back.
  case rollout
  /// All of it, and tokens, the audit log and the collection of garbage.
  case admin
}

/// A token without its secret: `GET /v1/tokens`.
public struct TokenRecord: Sendable, Hashable, Codable {
  /// What it is known by, in logs too.
  public var id: String
  /// What people call it.
  public var name: String
  /// What it lets its bearer do.
  public var scopes: [TokenScope]
  /// The models that it is good for: names, in which `*` stands for any characters.
  public var models: [String]
  /// When it was made.
  public var created: Date
  /// From when on it is good for nothing; nil for never.
  public var expires: Date?
  /// When it was revoked; nil for a token that was not.
  public var revoked: Date?

  /// Makes a record.
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

/// What a token is to be: the body of `POST /v1/tokens`.
public struct TokenRequest: Sendable, Hashable, Codable {
  /// What people call it.
  public var name: String
  /// What it lets its bearer do.
  public var scopes: [TokenScope]
  /// The models that it is good for; nil for all.
  public var models: [String]?
  /// From when on it is good for nothing; nil for never.
  public var expires: Date?

  /// Makes a request.
  public init(
    name: String, scopes: [TokenScope], models: [String]? = nil, expires: Date? = nil
  ) {
    self.name = name
    self.scopes = scopes
    self.models = models
    self.expires = expires
  }
}

/// A new token: the only time that its secret is told.
public struct NewToken: Sendable, Hashable, Codable {
  /// The token.
  public var token: TokenRecord
  /// What follows `Authorization: Bearer`.
  public var secret: String

  /// Makes an answer.
  public init(token: TokenRecord, secret: String) {
    self.token = token
    self.secret = secret
  }
}

/// The tokens that there are.
public struct TokenList: Sendable, Hashable, Codable {
  /// The tokens, the oldest first.
  public var tokens: [TokenRecord]

  /// Makes a list.
  public init(tokens: [TokenRecord]) { self.tokens = tokens }
}
#endif
