// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import Hummingbird
import Logging
import ModelRepositoryAPI
import NIOCore

/// Who may do what.
struct Access: Sendable {
  /// Whether reading needs no token.
  let isPublic: Bool

  /// Wants a token for a change.
  ///
  /// - Parameters:
  ///   - scope: What it must be good for.
  ///   - context: The request's.
  ///   - model: The model that is changed; nil for what is of no model.
  /// - Returns: The token.
  /// - Throws: ``Problem``: 401 without a token, 403 with one that is not good for it.
  @discardableResult
  func require(
    _ scope: TokenScope, _ context: WebContext, model: RepositoryName? = nil
  ) throws -> TokenRecord {
    guard let token = context.token else { throw Self.tokenNeeded }
    guard token.scopes.contains(scope) || token.scopes.contains(.admin) else {
      throw Problem(
        .forbidden, "wrong_scope",
        "The token is for \(Self.list(token.scopes.map(\.rawValue))), and this needs "
          + "'\(scope.rawValue)'.")
    }
    try Self.check(token, model)
    return token
  }

  /// Wants a token that may do everything: one for some models could else make one for all.
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

  /// Wants a token for reading, where that is needed.
  func requireReader(_ context: WebContext, model: RepositoryName) throws {
    if let token = try reader(context) { try Self.check(token, model) }
  }

  /// The token of a reader; nil where everyone may read everything.
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

  /// Names for a sentence: `'a', 'b'`.
  private static func list(_ names: [String]) -> String {
    names.map { "'\($0)'" }.joined(separator: ", ")
  }

  private static var tokenNeeded: Problem {
    Problem(
      .unauthorized, "token_needed", "This needs a token, as 'Authorization: Bearer TOKEN'.",
      headers: [.wwwAuthenticate: "Bearer"])
  }
}

/// Finds out whose request it is.
struct TokenMiddleware: RouterMiddleware {
  typealias Context = WebContext

  let repository: Repository

  func handle(
    _ request: Request, context: WebContext,
    next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    let fields = request.headers[values: .authorization]
    guard !fields.isEmpty else { return try await next(request, context) }
    let words = fields[0].split(separator: " ", omittingEmptySubsequences: true)
    // A bad token is refused even where none is needed: who sends one means it to be good.
    guard fields.count == 1, words.count == 2, words[0].lowercased() == "bearer",
      let token = try await repository.token(withSecret: String(words[1]))
    else {
      do {
        try await repository.noteRefusedToken(
          from: context.channel.remoteAddress?.ipAddress ?? "unknown")
      } catch {
        // The refusal counts, and not its record.
        context.logger.error(
          "the audit log cannot be written",
          metadata: ["fault": "\(RepositoryDatabase.sentence(error))"])
      }
      throw Problem(
        .unauthorized, "invalid_token", "The token is unknown, has expired or was revoked.",
        headers: [.wwwAuthenticate: "Bearer error=\"invalid_token\""])
    }
    var context = context
    context.token = token
    context.notes.token = token.id
    return try await next(request, context)
  }
}
#endif
