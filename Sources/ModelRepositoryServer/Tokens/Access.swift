// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird
import Logging
import ModelRepositoryAPI
import WebServing

/// The rules for what a token allows.
struct Access: Sendable {
  /// Whether reading needs no token.
  let isPublic: Bool

  /// Requires a token for a change, of a model if there is one.
  @discardableResult
  func require(
    _ scope: TokenScope, _ context: WebContext, model: RepositoryName? = nil
  ) throws -> TokenRecord {
    guard let token = context.token else { throw Self.tokenNeeded }
    guard token.scopes.contains(scope) || token.scopes.contains(.admin) else {
      throw Problem(
        .forbidden, "wrong_scope",
        "The token is for \(Self.list(token.scopes.map(\.rawValue))), but this request needs "
          + "'\(scope.rawValue)'.")
    }
    try Self.check(token, model)
    return token
  }

  /// Requires an administrator's token for all models.
  ///
  /// Otherwise, a token for some models could create one for all of them.
  @discardableResult
  func requireAdmin(_ context: WebContext) throws -> TokenRecord {
    let token = try require(.admin, context)
    guard token.isForAllModels else {
      throw Problem(
        .forbidden, "wrong_model",
        "The token is for the models \(Self.list(token.models)), not for all.")
    }
    return token
  }

  /// Requires a token that may read a model, unless reading is public.
  func requireReader(_ context: WebContext, model: RepositoryName) throws {
    if let token = try reader(context) { try Self.check(token, model) }
  }

  /// Returns a reader's token; nil if reading is public.
  func reader(_ context: WebContext) throws -> TokenRecord? {
    guard !isPublic else { return nil }
    // Every scope includes reading.
    guard let token = context.token else { throw Self.tokenNeeded }
    return token
  }

  private static func check(_ token: TokenRecord, _ model: RepositoryName?) throws {
    guard let model, !token.isFor(model.text) else { return }
    throw Problem(
      .forbidden, "wrong_model",
      "The token is for the models \(Self.list(token.models)), not for '\(model)'.")
  }

  /// Formats names for a sentence: `'a', 'b'`.
  private static func list(_ names: [String]) -> String {
    names.map { "'\($0)'" }.joined(separator: ", ")
  }

  private static var tokenNeeded: Problem {
    Problem(
      .unauthorized, "token_needed",
      "This request needs a token. Send it as 'Authorization: Bearer TOKEN'.",
      headers: [.wwwAuthenticate: "Bearer"])
  }
}

/// Identifies the token of a request.
struct TokenMiddleware: RequestFilter {
  typealias Context = WebContext

  let repository: Repository

  func prepare(_ request: inout Request, _ context: inout WebContext) async throws {
    guard request.headers[.authorization] != nil else { return }
    // A bad token is rejected even if none is needed, because its sender expects it to be valid.
    guard let secret = request.bearerToken,
      let token = try await repository.token(withSecret: String(secret))
    else {
      do {
        try await repository.noteRefusedToken(
          from: context.channel.remoteAddress?.ipAddress ?? "unknown")
      } catch {
        // The refusal matters more than its record, so this error is only logged.
        context.logger.error(
          "the audit log cannot be written",
          metadata: ["fault": "\(RepositoryDatabase.sentence(error))"])
      }
      throw Problem(
        .unauthorized, "invalid_token", "The token is unknown, has expired or was revoked.",
        headers: [.wwwAuthenticate: "Bearer error=\"invalid_token\""])
    }
    context.token = token
    context.notes.token = token.id
  }
}
#endif
