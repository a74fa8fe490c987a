// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An address of the server, or where it redirects to.
struct RepositoryAddress: Sendable, Hashable {
  let url: URL
  /// Where the token may go: the scheme, host and port.
  let origin: String
  private let host: String

  /// Reads the address of a server.
  ///
  /// - Throws: ``ModelRepositoryClientError`` with `.invalidConfiguration`.
  init(server text: String, allowsInsecureConnections: Bool) throws {
    func invalid(_ why: String) -> ModelRepositoryClientError {
      ModelRepositoryClientError(
        .invalidConfiguration,
        "The server '\(text.prefix(200))' \(why). An example of an address is https://models.example.com."
      )
    }
    var trimmed = text
    while trimmed.hasSuffix("/") { trimmed.removeLast() }
    guard let components = URLComponents(string: trimmed), let url = components.url,
      let address = RepositoryAddress(url)
    else { throw invalid("is not an address of http or https") }
    guard components.user == nil, components.password == nil else {
      throw invalid("has a user or a password in it; use a token")
    }
    guard components.query == nil, components.fragment == nil else {
      throw invalid("has a query or a fragment")
    }
    guard address.isSecure || address.isLoopback || allowsInsecureConnections else {
      throw invalid(
        "is not reached by https. Plain http is possible to this computer only, unless "
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

  /// What people and logs may see.
  var shown: String { String(url.absoluteString.prefix(300)) }

  var isSecure: Bool { origin.hasPrefix("https:") }

  /// Whether it is this computer's, as it stands there: names are not looked up.
  var isLoopback: Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    let isV4 =
      parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    return host == "localhost" || isV4 || ["::1", "[::1]"].contains(host)
  }

  /// A resource of the server.
  ///
  /// - Parameter path: Begins with `/`, and has nothing in it that would have to be escaped.
  /// - Returns: Its address.
  func appending(_ path: String) -> RepositoryAddress {
    URL(string: url.absoluteString + path).flatMap { RepositoryAddress($0) } ?? self
  }

  /// Where the server sends to instead.
  ///
  /// - Throws: ``ModelRepositoryClientError`` when encryption, or this computer, would be left.
  func redirected(
    to location: String, allowsInsecureConnections: Bool
  ) throws -> RepositoryAddress {
    func refused(_ why: String) -> ModelRepositoryClientError {
      ModelRepositoryClientError(
        .serverError, "'\(shown)' redirects to '\(location.prefix(200))', \(why).")
    }
    guard let next = URL(string: location, relativeTo: url)?.absoluteURL,
      let address = RepositoryAddress(next), next.user == nil, next.password == nil
    else { throw refused("which is not an address of http or https") }
    guard !isSecure || address.isSecure else { throw refused("which is not encrypted") }
    guard isSecure || allowsInsecureConnections || address.isLoopback else {
      throw refused("which is another computer")
    }
    return address
  }
}
#endif
