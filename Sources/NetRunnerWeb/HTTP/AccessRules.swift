// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird

/// Rejects requests from other sites' pages.
///
/// A page from another site must not control a server on the same machine. Its requests have the
/// other site's origin. If that site makes one of its host names point to this machine, that name
/// isn't one of this server's. If other machines can reach the server, every request needs a token.
struct AccessRules {
  /// The token that every request except those for the page itself must have, or nil if none is
  /// needed.
  let token: String?
  /// Whether only this machine can reach the server.
  let isLocal: Bool

  func check(_ request: Request) throws {
    try checkHost(of: request)
    try checkOrigin(of: request)
  }

  private func checkHost(of request: Request) throws {
    // A server that other machines can reach has host names that it doesn't know. Its token
    // protects it.
    guard isLocal, token == nil else { return }
    let host = Self.name(of: request.head.authority ?? "")
    guard
      ["localhost", "127.0.0.1", "[::1]", ""].contains(host) || host.hasSuffix(".localhost")
    else {
      throw WebError(
        status: .misdirectedRequest, code: "wrong_host",
        message: "This server only accepts requests for localhost, not for '\(host.prefix(100))'.")
    }
  }

  private func checkOrigin(of request: Request) throws {
    guard let origin = request.headers[.origin], request.method != .get, request.method != .head
    else { return }
    guard origin.hasSuffix("://" + (request.head.authority ?? "-")) else {
      throw WebError(
        status: .forbidden, code: "cross_origin",
        message: "Pages from '\(origin.prefix(100))' can't change anything on this server.")
    }
  }

  /// Returns a host without its port, in lowercase.
  private static func name(of host: String) -> String {
    let host = host.lowercased()
    guard !host.hasSuffix("]"), let colon = host.lastIndex(of: ":") else { return host }
    return String(host[..<colon])
  }
}
#endif
