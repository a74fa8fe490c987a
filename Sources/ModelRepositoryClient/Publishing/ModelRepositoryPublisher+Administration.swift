// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
package import Foundation
package import ModelRepositoryAPI
import NIOHTTP1

extension ModelRepositoryPublisher {
  /// Returns the keys that the server signs with.
  ///
  /// To pin these keys, compare them with keys from another source, because a malicious server can
  /// also lie about its keys.
  package func keys() async throws -> [KeyList.Key] {
    try await connection.get(KeyList.self, "/v1/keys").keys
  }

  /// Returns the newest root document without verifying that it is trusted, or nil if there is
  /// none.
  package func root() async throws -> RootDocument? {
    let answer = try await connection.send(.GET, "/v1/root", accepting: [200, 404])
    guard answer.status == 200 else { return nil }
    let signed = try answer.decode(SignedDocument.self)
    do {
      return try signed.selfSignedRoot()
    } catch let error as RepositoryError {
      throw PublishingError("invalid_answer", status: answer.status, error.message)
    }
  }

  /// Creates a token.
  ///
  /// Its secret is returned only this once.
  package func makeToken(_ request: TokenRequest) async throws -> NewToken {
    try await connection.send(.POST, "/v1/tokens", request, as: NewToken.self)
  }

  /// Returns all tokens without their secrets.
  package func tokens() async throws -> [TokenRecord] {
    try await connection.get(TokenList.self, "/v1/tokens").tokens
  }

  /// Revokes a token.
  package func revokeToken(_ id: String) async throws {
    guard let name = RepositoryName(id) else {
      throw PublishingError("invalid_token_id", "'\(id.prefix(100))' isn't a token's ID.")
    }
    _ = try await connection.send(.DELETE, "/v1/tokens/\(name)")
  }

  /// Returns the audit log's records with numbers below `before`, the newest first.
  package func auditLog(
    before: Int? = nil, since: Date? = nil, limit: Int = 100
  ) async throws -> [AuditRecord] {
    var (records, before): ([AuditRecord], Int?) = ([], before)
    while records.count < limit {
      let count = min(limit - records.count, 1000)
      var path = "/v1/audit?limit=\(count)"
      if let before { path += "&before=\(before)" }
      if let since { path += "&since=\(since.formatted(.iso8601))" }
      let page = try await connection.get(AuditLog.self, path).records
      records += page
      guard page.count == count, let last = page.last?.id, last < before ?? .max else { break }
      before = last
    }
    return records
  }

  /// Deletes blobs that no version uses.
  package func collectGarbage() async throws -> CollectionReport {
    try await connection.send(.POST, "/v1/gc").decode(CollectionReport.self)
  }
}
#endif
