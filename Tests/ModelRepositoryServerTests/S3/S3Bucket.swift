// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelRepositoryAPI
import NIOCore
import TestSupport
import Testing
import WebClient

@testable import ModelRepositoryServer

/// A bucket for one test.
struct S3Bucket: Sendable {
  let name: String
  let address: S3Peer.Address
  /// The default has characters that are escaped in different ways.
  let prefix: String

  init(prefix: String = "mödels/a +b~'(1)*&=%2F") async throws {
    name = "test-\(UUID().uuidString.lowercased())"
    self.prefix = prefix
    address = try await S3Peer.address()
    try await S3Peer.ask(["do": "make", "bucket": name])
  }

  var place: S3Location {
    get throws {
      try S3Location(
        "s3://\(name)/\(prefix)", endpoint: address.endpoint, region: address.region)
    }
  }

  var credentials: S3Credentials {
    S3Credentials(
      accessKey: address.accessKey, secret: address.secret, sessionToken: address.token)
  }

  /// A policy with short pauses between retries.
  static var policy: S3Client.Policy {
    var policy = S3Client.Policy()
    policy.retries.pause = .milliseconds(2)
    policy.web.stall = .seconds(120)
    return policy
  }

  func store(
    policy: S3Client.Policy = Self.policy,
    limits: S3BlobStore.Limits = S3BlobStore.Limits(), credentials: S3Credentials? = nil,
    place: S3Location? = nil, id: String = "test", mayBegin: Bool = true
  ) throws -> S3BlobStore {
    S3BlobStore(
      S3Client(
        try place ?? self.place, .success(credentials ?? self.credentials), policy: policy),
      id: id, mayBegin: mayBegin, limits: limits)
  }

  func key(_ digest: BlobDigest) -> String {
    "\(prefix)/sha256/\(digest.hexadecimal.prefix(2))/\(digest.hexadecimal)"
  }

  // MARK: - Requests by boto3

  func put(_ bytes: [UInt8], _ key: String) async throws {
    try await S3Peer.ask([
      "do": "put", "bucket": name, "key": key, "bytes": Data(bytes).base64EncodedString(),
    ])
  }

  func get(_ key: String) async throws -> [UInt8] {
    let answer = try await S3Peer.ask(["do": "get", "bucket": name, "key": key])
    let bytes = Array(
      try #require((answer["bytes"] as? String).flatMap { Data(base64Encoded: $0) }))
    #expect(answer["sha256"] as? String == BlobDigest(of: bytes).hexadecimal)
    return bytes
  }

  func delete(_ key: String) async throws {
    try await S3Peer.ask(["do": "delete", "bucket": name, "key": key])
  }

  /// Returns the keys and the unfinished uploads.
  func list() async throws -> (keys: [String], uploads: [String]) {
    let answer = try await S3Peer.ask(["do": "list", "bucket": name])
    return (
      try #require(answer["keys"] as? [String]), try #require(answer["uploads"] as? [String])
    )
  }

  /// Makes requests to this bucket fail, as described in `Tools/peers/s3.py`.
  func fail(_ faults: [String: Any]...) async throws {
    try await S3Peer.ask(["do": "faults", "bucket": name, "faults": faults])
  }

  /// Returns the requests since the last call, as in "GET 200".
  func requests() async throws -> [String] {
    let answer = try await S3Peer.ask(["do": "requests", "bucket": name])
    return try #require(answer["requests"] as? [[Any]]).map { "\($0[0]) \($0[2])" }
  }

  // MARK: - Expectations

  /// Returns the error that a closure throws, and checks that it has no secrets.
  func failure(
    at location: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
  ) async throws -> RepositoryError {
    do {
      try await body()
    } catch let error as RepositoryError {
      #expect(!error.message.contains(address.secret), sourceLocation: location)
      #expect(!error.message.contains(address.token), sourceLocation: location)
      return error
    }
    return try #require(nil as RepositoryError?, sourceLocation: location)
  }
}

extension S3BlobStore.Limits {
  /// Limits under which even a small blob is uploaded in parts.
  static var small: S3BlobStore.Limits {
    var limits = S3BlobStore.Limits()
    (limits.wholeBytes, limits.partBytes) = (100_000, 100_000)
    return limits
  }
}

extension S3BlobStore {
  /// Puts bytes, and checks that a failure leaves the file for a retry.
  func put(_ bytes: [UInt8]) async throws -> BlobDigest {
    let file = FileManager.default.temporaryDirectory.appending(path: "blob-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(bytes).write(to: file)
    let digest = BlobDigest(of: bytes)
    do {
      try await put(file.path, as: BlobReference(digest: digest, size: bytes.count))
    } catch {
      #expect(try Data(contentsOf: file) == Data(bytes))
      throw error
    }
    return digest
  }
}
#endif
