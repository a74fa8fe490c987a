// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import WebClient
import Foundation

struct BundleAddress: Sendable {
  /// The whole URL, as it is requested.
  let text: String
  /// The server's name or IP address, without brackets.
  let host: String
  /// Whether the connection is encrypted.
  let isSecure: Bool
  private let url: URL

  /// The URL for messages, which is shortened and has no query, because a query may contain a
  /// secret.
  var shown: String { String(text.prefix { $0 != "?" && $0 != "#" }.prefix(200)) }

  /// Parses a URL.
  ///
  /// URLs that programs interpret differently are refused, because this type checks the URL but
  /// another library connects to it.
  init(_ text: String) throws {
    let trimmed = text.drop(while: \.isWhitespace)
    let line = String(trimmed.reversed().drop(while: \.isWhitespace).reversed())
    guard line.utf8.count <= 8_192, !line.contains("\\"),
      line.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control && $0 != " " }),
      let url = URL(string: line)?.absoluteURL
    else { throw Self.invalid(line, "isn't a valid address") }
    guard let scheme = url.scheme?.lowercased(), ["https", "http"].contains(scheme) else {
      throw Self.invalid(line, "doesn't begin with https:// or http://")
    }
    guard url.user(percentEncoded: true) == nil, url.password(percentEncoded: true) == nil else {
      throw ImportError(
        .invalidURL,
        "The address contains a user name or password, which others would see. Remove it.")
    }
    guard let (host, port) = Self.server(of: url) else {
      throw Self.invalid(line, "doesn't name a valid server")
    }
    // A larger port number would crash the process when it opens a connection.
    guard port.dropFirst().isEmpty || (1...0xFFFF).contains(Int(port.dropFirst()) ?? 0) else {
      throw Self.invalid(line, "has an invalid port")
    }
    self.text = url.absoluteString
    self.host = host
    self.url = url
    isSecure = scheme == "https"
  }

  func redirected(to location: String) throws -> BundleAddress {
    guard let target = URL(string: location, relativeTo: url) else {
      throw Self.invalid(location, "isn't a valid address")
    }
    let address = try BundleAddress(target.absoluteString)
    guard address.isSecure || !isSecure else {
      throw ImportError(
        .addressNotAllowed,
        "'\(shown)' redirects to '\(address.shown)', which isn't encrypted. Ask its owner to use "
          + "https.")
    }
    return address
  }

  /// Returns the server's name or IP address, and its port with the colon, or nil if the URL
  /// contains anything unusual.
  private static func server(of url: URL) -> (host: String, port: Substring)? {
    let text = url.absoluteString
    guard let start = text.firstRange(of: "://")?.upperBound else { return nil }
    let authority = text[start...].prefix { !"/?#".contains($0) }
    let host: String
    let port: Substring
    if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
      host = String(authority[..<end].dropFirst())
      port = authority[end...].dropFirst()
      guard host.contains(":"), IPAddress(host) != nil else { return nil }
    } else {
      host = String(authority.prefix { $0 != ":" })
      port = authority.dropFirst(host.count)
      guard !host.isEmpty, host.utf8.allSatisfy(isPlain) else { return nil }
    }
    // The library that connects must see the same server.
    var seen = url.host(percentEncoded: true) ?? ""
    if seen.hasPrefix("[") { seen = String(seen.dropFirst().dropLast()) }
    guard seen == host, port.isEmpty || port.hasPrefix(":") else { return nil }
    return (host, port)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func invalid(_ text: String, _ reason: String) -> ImportError {
    let shown = text.prefix { $0 != "?" && $0 != "#" }.prefix(200)
    return ImportError(
      .invalidURL,
      "'\(shown)' \(reason). Give the address of a zip file, such as https://example.com/x.zip.")
  }
}
#endif
