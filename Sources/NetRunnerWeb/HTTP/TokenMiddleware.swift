// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import Hummingbird

/// Requires the token for the routes behind this middleware.
struct TokenMiddleware: RouterMiddleware {
  typealias Context = WebContext

  /// The token that requests must have, or nil to let every request pass.
  let token: String?
  /// Slows down attempts to guess the token.
  let guesses: TokenGuesses

  func handle(
    _ request: Request, context: WebContext,
    next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    guard let token else { return try await next(request, context) }
    let sent = Self.token(in: request.headers[.authorization] ?? "")
    if let sent, Self.isEqual(sent, token) { return try await next(request, context) }
    // A request without a token isn't a guess. The page sends one before it asks the user for the
    // token.
    if sent != nil { try await guesses.wait(for: context.channel.remoteAddress?.ipAddress ?? "") }
    throw WebError(
      status: .unauthorized, code: "token_needed",
      message: "This server requires a token. Send it as 'Authorization: Bearer TOKEN'.",
      headers: [.wwwAuthenticate: "Bearer"], endsConnection: request.method != .get)
  }

  /// Returns the token of an `Authorization` header field, or nil if its scheme isn't `Bearer`.
  ///
  /// The scheme's name is case-insensitive (RFC 9110, section 11.1).
  private static func token(in field: String) -> Substring? {
    guard let space = field.firstIndex(of: " "), field[..<space].lowercased() == "bearer" else {
      return nil
    }
    return field[space...].drop { $0 == " " }
  }

  /// Compares two texts in a time that doesn't reveal where they differ.
  private static func isEqual(_ left: Substring, _ right: String) -> Bool {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
#endif
