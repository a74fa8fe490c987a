// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Crypto
import Foundation
import ModelRepositoryAPI
import NIOCore
import NIOHTTP1

/// AWS's Signature Version 4 in the header fields of a request.
///
/// It is implemented here because it is short, and because none of the libraries that this package
/// may use offers it. The signature covers the request in a canonical form. Its key is valid for
/// one day, one region and one service.
struct S3Signature: Sendable {
  let credentials: S3Credentials
  let region: String

  /// Returns the header fields of a request, including the signature.
  ///
  /// `host` is what the `Host` field contains, and `path` is escaped as it is sent. Servers accept
  /// the request for fifteen minutes after the date.
  func fields(
    _ request: S3Request, host: String, path: String, at date: Date
  ) -> [(name: String, value: String)] {
    let time = date.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
    var fields = request.fields.map { (name: $0.name.lowercased(), value: $0.value) }
    fields += [
      ("host", host), ("x-amz-content-sha256", request.body.digest), ("x-amz-date", time),
    ]
    if let token = credentials.sessionToken { fields.append(("x-amz-security-token", token)) }
    fields.sort { $0.name < $1.name }
    let names = fields.map(\.name).joined(separator: ";")
    let canonical =
      [request.method.rawValue, path, Self.query(request.query)]
      + fields.map { "\($0.name):\(Self.trimmed($0.value))" } + ["", names, request.body.digest]
    let scope = "\(time.prefix(8))/\(region)/s3/aws4_request"
    let text = [
      "AWS4-HMAC-SHA256", time, scope,
      BlobDigest(of: canonical.joined(separator: "\n").utf8).hexadecimal,
    ].joined(separator: "\n")
    let first = SymmetricKey(data: Data("AWS4\(credentials.secret)".utf8))
    let key = scope.split(separator: "/").reduce(first) {
      SymmetricKey(data: Data(HMAC<SHA256>.authenticationCode(for: Data($1.utf8), using: $0)))
    }
    let signature = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)
      .map { String(format: "%02x", $0) }.joined()
    fields.append(
      (
        "authorization",
        "AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope),SignedHeaders=\(names),"
          + "Signature=\(signature)"
      ))
    return fields
  }

  /// Returns a query as it is sent and signed, sorted by name.
  static func query(_ items: [(name: String, value: String)]) -> String {
    items.map { (escaped($0.name), escaped($0.value)) }
      .sorted { $0 < $1 }.map { "\($0)=\($1)" }.joined(separator: "&")
  }

  /// Escapes everything in a text except letters, digits and `-._~`.
  static func escaped(_ text: String, keepingSlashes: Bool = false) -> String {
    text.utf8.reduce(into: "") { result, byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
        result.unicodeScalars.append(Unicode.Scalar(byte))
      case 0x2F where keepingSlashes: result += "/"
      default: result += String(format: "%%%02X", byte)
      }
    }
  }

  /// Returns a field's value as it is signed: trimmed, and with single spaces inside.
  private static func trimmed(_ value: String) -> String {
    value.split(separator: " ").joined(separator: " ")
  }
}

/// A request to an S3-compatible store before it is signed.
struct S3Request: Sendable {
  /// The body of a request.
  enum Body: Sendable {
    case none
    case bytes(ByteBuffer)
    /// A range of a file, and the hash of its bytes.
    case file(FileContent, Range<Int>, BlobDigest)

    /// The SHA-256 of the bytes, which is signed so that the store rejects other bytes.
    var digest: String {
      switch self {
      case .none: BlobDigest(of: []).hexadecimal
      case .bytes(let bytes): BlobDigest(of: bytes.readableBytesView).hexadecimal
      case .file(_, _, let digest): digest.hexadecimal
      }
    }
  }

  var method: HTTPMethod
  /// The object's key; nil for the bucket.
  var key: String?
  /// What happens to the object, for errors such as "'s3://bucket/key' cannot be read".
  var purpose: String
  var query: [(name: String, value: String)] = []
  var fields: [(name: String, value: String)] = []
  var body = Body.none
}
#endif
