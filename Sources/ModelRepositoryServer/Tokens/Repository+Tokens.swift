// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Crypto
import Foundation
import GRDB
import HTTPTypes
import ModelRepositoryAPI
import StoredRows

extension Repository {
  /// Creates a token, whose secret can't be retrieved later.
  ///
  /// The author is the id of the token that requests the change; nil for the command line.
  func makeToken(_ request: TokenRequest, by author: String?) async throws -> NewToken {
    let models = request.models ?? ["*"]
    guard (1...100).contains(request.name.utf8.count), !request.scopes.isEmpty,
      request.scopes.count <= TokenScope.allCases.count, (1...100).contains(models.count),
      models.allSatisfy({ ModelPattern($0) != nil })
    else {
      throw Problem(
        .unprocessableContent, "invalid_token_request",
        "A token needs a name of 1 to 100 bytes, at least one scope, and 1 to 100 models. In a "
          + "model's name, '*' stands for any characters.")
    }
    let now = now
    if let expires = request.expires, expires <= now {
      throw Problem(
        .unprocessableContent, "invalid_token_request", "The token's expiry time is in the past.")
    }
    // The database's times have four digits for the year.
    guard request.expires.map({ $0.timeIntervalSince1970 < 253_000_000_000 }) ?? true else {
      throw Problem(
        .unprocessableContent, "invalid_token_request",
        "The token would expire after the year 9986. Without 'expires', it doesn't expire.")
    }
    let id = Self.random(.init(bitCount: 64)).map {
      String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
    }.joined()
    let secret = id + "." + Self.base64URL(Self.random(.bits256))
    var token = TokenRecord(
      id: id, name: request.name, scopes: TokenScope.allCases.filter(request.scopes.contains),
      models: models, created: now)
    token.expires = request.expires
    try await database.write { [self, token] database in
      try database.execute(
        sql: """
          INSERT INTO tokens (id, secret_hash, name, scopes, models, created, expires)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          id, Data(SHA256.hash(data: Data(secret.utf8))), token.name,
          token.scopes.map(\.rawValue).joined(separator: " "), models.joined(separator: " "), now,
          token.expires,
        ])
      try audit(
        database, author, "token.make", id,
        "\(token.scopes.map(\.rawValue).joined(separator: " ")) for "
          + models.joined(separator: " "))
    }
    return NewToken(token: token, secret: secret)
  }

  /// Returns the tokens, the oldest first.
  func tokens() async throws -> [TokenRecord] {
    try await database.read { database in
      try Row.fetchAll(database, sql: RepositoryTable.tokens.rows + " ORDER BY rowid")
        .map { try CheckedRow.read($0, of: .tokens) { try TokenRecord($0) } }
    }
  }

  /// Revokes a token, even one that was revoked before, and returns whether it exists.
  func revokeToken(_ id: String, by author: String?) async throws -> Bool {
    let now = now
    return try await database.write { [self] database in
      guard
        let row = try Row.fetchOne(
          database, sql: "SELECT * FROM tokens WHERE id = ?", arguments: [id])
      else { return false }
      // Only this column is read, so that a damaged token can be revoked, too.
      if try CheckedRow(row, of: .tokens).optionalText("revoked") == nil {
        try database.execute(
          sql: "UPDATE tokens SET revoked = ? WHERE id = ?", arguments: [now, id])
        try audit(database, author, "token.revoke", id, before: "usable", after: "revoked")
      }
      return true
    }
  }

  /// Returns the token with a secret; nil if it is unknown, has expired or was revoked.
  func token(withSecret secret: String) async throws -> TokenRecord? {
    guard secret.utf8.count < 200, let dot = secret.firstIndex(of: ".") else { return nil }
    let id = String(secret[..<dot])
    let row = try await database.read { database in
      let statement = try database.cachedStatement(
        sql: RepositoryTable.tokens.rows + " WHERE id = ?")
      return try Row.fetchOne(statement, arguments: [id]).map { row in
        try CheckedRow.read(row, of: .tokens) {
          (token: try TokenRecord($0), hash: try $0.bytes("secret_hash"))
        }
      }
    }
    // Digests are compared in constant time, which doesn't reveal where they differ.
    guard let row, SHA256.hash(data: Data(secret.utf8)) == row.hash, row.token.revoked == nil,
      row.token.expires.map({ now < $0 }) ?? true
    else { return nil }
    return row.token
  }

  private static func random(_ size: SymmetricKeySize) -> [UInt8] {
    SymmetricKey(size: size).withUnsafeBytes { Array($0) }
  }

  private static func base64URL(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }
}

extension TokenRecord {
  init(_ row: CheckedRow) throws {
    let scopes = try row.text("scopes").split(separator: " ").map {
      TokenScope(rawValue: String($0))
    }
    let models = try row.text("models").split(separator: " ").map(String.init)
    guard !scopes.isEmpty, !scopes.contains(nil) else {
      throw row.mismatch("scopes", "a list of scopes")
    }
    guard !models.isEmpty, models.allSatisfy({ ModelPattern($0) != nil }) else {
      throw row.mismatch("models", "a list of models")
    }
    guard try row.bytes("secret_hash").count == SHA256.byteCount else {
      throw row.mismatch("secret_hash", "\(SHA256.byteCount) bytes")
    }
    self.init(
      id: try row.text("id"), name: try row.text("name"), scopes: scopes.compactMap { $0 },
      models: models, created: try row.time("created"))
    expires = try row.optionalTime("expires")
    revoked = try row.optionalTime("revoked")
  }

  var isForAllModels: Bool { models.contains("*") }

  func isFor(_ model: String) -> Bool {
    models.contains { ModelPattern($0)?.matches(model) ?? false }
  }
}

/// A pattern for model names, in which `*` matches any number of characters.
struct ModelPattern {
  private let text: String

  /// Parses a pattern; nil if no name can match it.
  init?(_ text: String) {
    guard (1...100).contains(text.utf8.count),
      text.utf8.allSatisfy({ byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
      })
    else { return nil }
    self.text = text
  }

  /// Whether a name matches.
  ///
  /// Of the characters that `fnmatch` treats specially, a pattern can only have `*`. glibc retries
  /// only the last `*` that it has reached, so many of them don't take exponential time.
  func matches(_ name: String) -> Bool { fnmatch(text, name, 0) == 0 }
}
#endif
