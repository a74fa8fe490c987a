// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import TensorIO

/// An S3-compatible store, as the environment describes it.
struct S3Store {
  /// The server, without a slash at the end; the path of a URL begins with the bucket.
  let endpoint: String
  let region: String
  /// The key and its secret, `KEY:SECRET`; nil for requests that aren't signed.
  let credentials: String?
  /// The token of a temporary key.
  let token: String?

  /// Reads `AWS_ACCESS_KEY_ID` and the other variables that Amazon's programs read.
  ///
  /// - Throws: `TensorIOError` that names the variable to set or to correct.
  init() throws {
    region = try Self.variable("AWS_REGION") ?? Self.variable("AWS_DEFAULT_REGION") ?? "us-east-1"
    var endpoint =
      try Self.variable("AWS_ENDPOINT_URL_S3") ?? Self.variable("AWS_ENDPOINT_URL")
      ?? "https://s3.\(region).amazonaws.com"
    guard endpoint.hasPrefix("https://") || endpoint.hasPrefix("http://") else {
      throw TensorIOError(
        .invalidOption,
        "The endpoint '\(endpoint)' isn't a URL. Set AWS_ENDPOINT_URL_S3 to one such as "
          + "https://s3.example.com.")
    }
    while endpoint.hasSuffix("/") { endpoint.removeLast() }
    self.endpoint = endpoint
    let key = try Self.variable("AWS_ACCESS_KEY_ID")
    let secret = try Self.variable("AWS_SECRET_ACCESS_KEY")
    guard (key == nil) == (secret == nil) else {
      let (missing, other) =
        key == nil
        ? ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
        : ("AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID")
      throw TensorIOError(
        .invalidOption,
        "\(missing) isn't set, but \(other) is. Set both, or none for public buckets."
      )
    }
    credentials = key.flatMap { key in secret.map { "\(key):\($0)" } }
    token = try Self.variable("AWS_SESSION_TOKEN")
  }

  /// Returns an environment variable; nil if it isn't set or is empty.
  private static func variable(_ name: String) throws -> String? {
    guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else { return nil }
    // The values are sent in header fields, in which a line break would start another field.
    guard value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw TensorIOError(
        .invalidOption, "\(name) contains spaces, line breaks or other characters that none has.")
    }
    return value
  }

  /// Returns the bucket and the key of an address, `s3://BUCKET/KEY`.
  static func parts(of address: String) throws -> (bucket: String, key: String) {
    let parts = address.dropFirst(5).split(
      separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let isValid = parts[0].utf8.allSatisfy { byte in
      escaped(byte) == nil && byte != UInt8(ascii: "~")
    }
    guard (3...63).contains(parts[0].utf8.count), isValid, parts[0].contains(where: { $0 != "." })
    else {
      throw TensorIOError(
        .invalidOption,
        "'\(address)' has no valid bucket name, which has 3 to 63 letters, digits, dots and hyphens. "
          + "An address has the form s3://BUCKET/KEY.")
    }
    return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
  }

  /// Returns the URL of an object, or of the bucket without a key.
  func url(of bucket: String, key: String? = nil) -> String {
    "\(endpoint)/\(bucket)" + (key.map { "/" + Self.escaped($0, keepingSlashes: true) } ?? "")
  }

  /// Escapes everything in a text except letters, digits and `-._~`, as signatures need it.
  static func escaped(_ text: String, keepingSlashes: Bool = false) -> String {
    text.utf8.reduce(into: "") { result, byte in
      if !(keepingSlashes && byte == UInt8(ascii: "/")), let escape = escaped(byte) {
        result += escape
      } else {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
  }

  /// Returns the escape of a byte; nil if it stays as it is.
  private static func escaped(_ byte: UInt8) -> String? {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: nil
    default: (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }
  }
}
