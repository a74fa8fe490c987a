// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import Hummingbird

/// Wants the token for what is behind it.
struct TokenMiddleware: RouterMiddleware {
  typealias Context = WebContext

  /// What requests must bear; nil lets every request pass.
  let token: String?
  /// Slows guesses down.
  let guesses: TokenGuesses

  func handle(
    _ request: Request, context: WebContext,
    next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    guard let token else { return try await next(request, context) }
    let sent = Self.token(in: request.headers[.authorization] ?? "")
    if let sent, Self.isEqual(sent, token) { return try await next(request, context) }
    // A request without a token is no guess: the page sends one before it asks for the token.
    if sent != nil { try await guesses.wait(for: context.channel.remoteAddress?.ipAddress ?? "") }
    throw WebError(
      status: .unauthorized, code: "token_needed",
      message: "This server requires its token, as 'Authorization: Bearer TOKEN'.",
      headers: [.wwwAuthenticate: "Bearer"], endsConnection: request.method != .get)
  }

  /// The token of a header field; nil where the scheme is another one.
  ///
  /// The scheme's name is read without regard to case (RFC 9110, section 11.1).
  private static func token(in field: String) -> Substring? {
    guard let space = field.firstIndex(of: " "), field[..<space].lowercased() == "bearer" else {
      return nil
    }
    return field[space...].drop { $0 == " " }
  }

  /// Compares in a time that does not tell where the texts differ.
  private static func isEqual(_ left: Substring, _ right: String) -> Bool {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
#endif
