// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import WebClient

/// An address of the server, or of a server that it redirects to.
struct RepositoryAddress: Sendable, Hashable {
  let url: URL
  /// The scheme, host and port, which must match the server's for the token to be sent.
  let origin: String
  let host: String

  /// Reads the address of a server.
  ///
  /// - Throws: ``ModelRepositoryClientError`` with `.invalidConfiguration`.
  init(server text: String, allowsInsecureConnections: Bool) throws {
    func invalid(_ why: String) -> ModelRepositoryClientError {
      ModelRepositoryClientError(
        .invalidConfiguration,
        "The server '\(text.prefix(200))' \(why). An example of an address is "
          + "https://models.example.com."
      )
    }
    var trimmed = text
    while trimmed.hasSuffix("/") { trimmed.removeLast() }
    guard let components = URLComponents(string: trimmed), let url = components.url,
      let address = RepositoryAddress(url)
    else { throw invalid("isn't an http or https address") }
    guard components.user == nil, components.password == nil else {
      throw invalid("contains a user name or a password; use a token instead")
    }
    guard components.query == nil, components.fragment == nil else {
      throw invalid("has a query or a fragment")
    }
    guard address.isSecure || address.isLoopback || allowsInsecureConnections else {
      throw invalid(
        "isn't an https address. Plain http is only allowed for this computer, unless "
          + "allowsInsecureConnections is set")
    }
    self = address
  }

  private init?(_ url: URL) {
    guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
      let host = url.host()?.lowercased(), !host.isEmpty
    else { return nil }
    self.url = url
    self.host = host
    origin = "\(scheme)://\(host):\(url.port ?? (scheme == "https" ? 443 : 80))"
  }

  /// The address for messages and logs.
  var shown: String { String(url.absoluteString.prefix(300)) }

  var isSecure: Bool { origin.hasPrefix("https:") }

  /// Whether the host is this computer.
  var isLoopback: Bool { IPAddress.isLoopback(host: host) }

  /// Returns the address of a resource of the server, whose path starts with `/` and needs no
  /// escaping.
  func appending(_ path: String) -> RepositoryAddress {
    URL(string: url.absoluteString + path).flatMap { RepositoryAddress($0) } ?? self
  }

  /// Returns the address that the server redirects to.
  ///
  /// - Throws: ``ModelRepositoryClientError`` if the redirect would give up encryption, or leave
  ///   this computer over plain HTTP.
  func redirected(
    to location: String, allowsInsecureConnections: Bool
  ) throws -> RepositoryAddress {
    func refused(_ why: String) -> ModelRepositoryClientError {
      ModelRepositoryClientError(
        .serverError, "'\(shown)' redirects to '\(location.prefix(200))', \(why).")
    }
    guard let next = URL(string: location, relativeTo: url)?.absoluteURL,
      let address = RepositoryAddress(next), next.user == nil, next.password == nil
    else { throw refused("which isn't an http or https address") }
    guard !isSecure || address.isSecure else { throw refused("which isn't encrypted") }
    guard isSecure || allowsInsecureConnections || address.isLoopback else {
      throw refused("which is another computer")
    }
    return address
  }
}
#endif
