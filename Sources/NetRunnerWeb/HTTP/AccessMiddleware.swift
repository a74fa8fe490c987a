// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import Hummingbird
import WebServing

/// Who may ask for what.
///
/// A page of another site must not drive a server on the same machine: its requests bear its origin,
/// and names that it lets point here are not this server's. Where others can reach the server, every
/// request needs a token.
struct AccessMiddleware: RouterMiddleware {
  typealias Context = WebContext

  /// What every request but those for the page itself must bear; nil needs nothing.
  let token: String?
  /// Whether only this machine can reach the server.
  let isLocal: Bool

  func handle(
    _ request: Request, context: WebContext,
    next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    try checkRules(of: request)
    try checkHost(of: request)
    try checkOrigin(of: request)
    return try await next(request, context)
  }

  /// Refuses what this server and a proxy before it could read in two ways.
  private func checkRules(of request: Request) throws {
    do {
      try RequestRules.check(
        host: request.head.authority,
        furtherHosts: HTTPField.Name("Host").map { request.headers[values: $0].count } ?? 0,
        encodings: request.headers[values: .transferEncoding],
        hasLength: request.headers[.contentLength] != nil)
    } catch {
      throw WebError(
        status: HTTPResponse.Status(code: error.status), code: "bad_request",
        message: error.message, endsConnection: true)
    }
  }

  private func checkHost(of request: Request) throws {
    // A server that others can reach has names that it does not know; its token keeps it.
    guard isLocal, token == nil else { return }
    let host = Self.name(of: request.head.authority ?? "")
    guard
      ["localhost", "127.0.0.1", "[::1]", ""].contains(host) || host.hasSuffix(".localhost")
    else {
      throw WebError(
        status: .misdirectedRequest, code: "wrong_host",
        message: "This server answers as localhost, not as '\(host.prefix(100))'.")
    }
  }

  private func checkOrigin(of request: Request) throws {
    guard let origin = request.headers[.origin], request.method != .get, request.method != .head
    else { return }
    guard origin.hasSuffix("://" + (request.head.authority ?? "-")) else {
      throw WebError(
        status: .forbidden, code: "cross_origin",
        message: "Pages of '\(origin.prefix(100))' cannot change anything here.")
    }
  }

  /// A host without its port, in small letters.
  private static func name(of host: String) -> String {
    let host = host.lowercased()
    guard !host.hasSuffix("]"), let colon = host.lastIndex(of: ":") else { return host }
    return String(host[..<colon])
  }
}
#endif
