// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelRepositoryAPI
import WebClient

/// The location of blobs in an S3-compatible store.
///
/// ```swift
/// let place = try S3Location("s3://models/production", region: "eu-central-1")
/// ```
public struct S3Location: Sendable, Hashable {
  /// The bucket, which must already exist.
  public let bucket: String
  /// The text that all keys begin with, without its slash; empty if the repository uses the whole
  /// bucket.
  public let prefix: String
  /// The server, for example `https://s3.eu-central-1.amazonaws.com`; the path contains the bucket.
  public let endpoint: String
  /// The region, which is part of the signature.
  public let region: String

  /// Parses a location.
  ///
  /// - Parameters:
  ///   - text: The location, `s3://BUCKET/PREFIX` or `s3://BUCKET`.
  ///   - endpoint: The server; nil for Amazon's server in the region. It must use https unless it
  ///     is this machine.
  ///   - region: The region.
  /// - Throws: `RepositoryError` with the code `.invalidOption`.
  public init(_ text: String, endpoint: String? = nil, region: String = "us-east-1") throws {
    func invalid(_ why: String) -> RepositoryError {
      RepositoryError(
        .invalidOption, "'\(text.prefix(200))' \(why). A location has the form s3://BUCKET/PREFIX.")
    }
    guard text.hasPrefix("s3://") else { throw invalid("isn't a location in S3") }
    let parts = text.dropFirst(5).split(
      separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    bucket = String(parts[0])
    let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_")
    guard (3...63).contains(bucket.utf8.count), bucket.allSatisfy(letters.contains),
      bucket.contains(where: { $0 != "." })
    else {
      throw invalid("has no valid bucket name, which has 3 to 63 letters, digits, dots and hyphens")
    }
    var prefix = parts.count > 1 ? String(parts[1]) : ""
    while prefix.hasSuffix("/") { prefix.removeLast() }
    let folders = prefix.split(separator: "/", omittingEmptySubsequences: false)
    // Servers could normalize such a prefix to another path than the signed one.
    guard prefix.isEmpty || !folders.contains(where: { ["", ".", ".."].contains($0) }),
      prefix.utf8.count <= 800,
      prefix.unicodeScalars.allSatisfy({ $0.value >= 32 && $0 != "\u{7F}" })
    else {
      throw invalid("has an invalid prefix, which must not contain an empty part, '.' or '..'")
    }
    self.prefix = prefix
    guard !region.isEmpty, region.utf8.count <= 64, region.allSatisfy(letters.contains) else {
      throw RepositoryError(
        .invalidOption, "'\(region.prefix(64))' isn't a region. An example is eu-central-1.")
    }
    self.region = region
    self.endpoint = try Self.checked(endpoint ?? "https://s3.\(region).amazonaws.com")
  }

  /// The location as people read it: `s3://BUCKET/PREFIX`.
  var name: String { "s3://\(bucket)" + (prefix.isEmpty ? "" : "/" + prefix) }

  /// The server's host as the `Host` field contains it.
  var host: String { String(endpoint.drop { $0 != ":" }.dropFirst(3)) }

  private static func checked(_ text: String) throws -> String {
    func invalid(_ why: String) -> RepositoryError {
      RepositoryError(
        .invalidOption,
        "The endpoint '\(text.prefix(200))' \(why). An example is https://s3.example.com.")
    }
    var trimmed = text
    while trimmed.hasSuffix("/") { trimmed.removeLast() }
    guard let parts = URLComponents(string: trimmed), let scheme = parts.scheme?.lowercased(),
      ["http", "https"].contains(scheme), let host = parts.host?.lowercased(), !host.isEmpty
    else { throw invalid("isn't an http or https address") }
    guard parts.user == nil, parts.password == nil else {
      throw invalid(
        "contains a user name or a password; set the credentials in the environment instead")
    }
    guard parts.path.isEmpty, parts.query == nil, parts.fragment == nil else {
      throw invalid("has a path, a query or a fragment")
    }
    guard scheme == "https" || IPAddress.isLoopback(host: host) else {
      throw invalid("isn't an https address. Plain http is only allowed for this machine")
    }
    let bare = host.hasPrefix("[") || !host.contains(":") ? host : "[\(host)]"
    let standard = scheme == "https" ? 443 : 80
    guard let port = parts.port, port != standard else { return "\(scheme)://\(bare)" }
    guard (1...65535).contains(port) else { throw invalid("has an invalid port") }
    return "\(scheme)://\(bare):\(port)"
  }
}

extension S3Location: Codable {
  enum CodingKeys: String, CodingKey {
    case bucket, prefix, endpoint, region
  }

  /// Decodes a location with the same checks as ``init(_:endpoint:region:)``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let bucket = try container.decode(String.self, forKey: .bucket)
    let prefix = try container.decode(String.self, forKey: .prefix)
    try self.init(
      "s3://\(bucket)/\(prefix)", endpoint: try container.decode(String.self, forKey: .endpoint),
      region: try container.decode(String.self, forKey: .region))
  }
}

extension S3Location: CustomStringConvertible {
  /// The location, its server and its region.
  public var description: String { "\(name) at \(endpoint), region \(region)" }
}
#endif
