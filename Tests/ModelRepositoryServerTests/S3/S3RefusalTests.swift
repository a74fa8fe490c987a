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

@testable import ModelRepositoryServer

/// Tests permanent failures.
@Suite(.enabled(if: S3Peer.isThere, "TENSORIO_PYTHON isn't set."), .timeLimit(.minutes(10)))
struct S3RefusalTests {
  @Test func `reading fails if the blob changes in the meantime`() async throws {
    let bucket = try await S3Bucket()
    let store = try bucket.store()
    let bytes = sampleBytes(700_000)
    let digest = try await store.put(bytes)
    for isDeleted in [false, true] {
      let content = try #require(try await store.open(digest))
      // The download is interrupted, and the blob has changed before the retry.
      try await bucket.fail(["method": "GET", "act": "cut", "bytes_sent": 100_000, "times": 1])
      let pieces = try await content.pieces(in: 0..<700_000)
      if isDeleted {
        try await bucket.delete(bucket.key(digest))
      } else {
        try await bucket.put(sampleBytes(700_000, seed: 3), bucket.key(digest))
      }
      var read: [UInt8] = []
      let error = try await bucket.failure {
        for try await piece in pieces { read += piece.readableBytesView }
      }
      #expect(error.code == .storage && read.count < 700_000)
      #expect(read == Array(bytes[..<read.count]) || isDeleted)
      #expect(error.message.contains(isDeleted ? "deleted" : "replaced"), "\(error)")
      let again = try await bucket.failure { _ = try await content.bytes(in: 0..<1) }
      #expect(again.code == .storage)
    }
  }

  @Test func `the error for wrong credentials says what to check`() async throws {
    let bucket = try await S3Bucket()
    let address = bucket.address
    let nothing = BlobDigest(of: [])
    for (credentials, code) in [
      (S3Credentials(accessKey: "AKIDOTHER", secret: address.secret), "InvalidAccessKeyId"),
      (
        S3Credentials(accessKey: address.accessKey, secret: "another"),
        "SignatureDoesNotMatch"
      ),
      (
        S3Credentials(
          accessKey: address.accessKey, secret: address.secret, sessionToken: "old-token"),
        "InvalidToken"
      ),
    ] {
      let store = try bucket.store(credentials: credentials)
      _ = try await bucket.requests()
      let errors = [
        try await bucket.failure { try await store.check() },
        try await bucket.failure { _ = try await store.list() },
        try await bucket.failure { _ = try await store.put([1]) },
      ]
      for error in errors {
        #expect(error.message.contains("403 \(code)"), "\(error)")
        #expect(error.message.contains("AWS_SECRET_ACCESS_KEY"))
        #expect(!error.message.contains("old-token"))
      }
      // These errors aren't retried because a retry wouldn't help.
      #expect(try await bucket.requests() == ["GET 403", "GET 403", "PUT 403"])
      // A response without a body has no error code.
      let error = try await bucket.failure { _ = try await store.size(of: nothing) }
      #expect(error.message.contains("403") && error.message.contains("AWS_ACCESS_KEY_ID"))
    }
  }

  @Test func `redirections aren't followed, and their error names the region`() async throws {
    let bucket = try await S3Bucket()
    let store = try bucket.store()
    let nothing = BlobDigest(of: [])
    for status in [301, 307] {
      try await bucket.fail([
        "act": "status", "status": status, "code": "PermanentRedirect", "times": 2,
        "fields": ["Location": "http://127.0.0.1:1/", "x-amz-bucket-region": "eu-west-7"],
      ])
      for _ in 0..<2 {
        let error = try await bucket.failure { _ = try await store.size(of: nothing) }
        #expect(
          error.message.contains("'eu-west-7', not in '\(bucket.address.region)'"), "\(error)")
      }
    }
    try await bucket.fail([
      "act": "status", "status": 400, "code": "AuthorizationHeaderMalformed",
      "fields": ["x-amz-bucket-region": "eu-west-7"],
    ])
    let error = try await bucket.failure { _ = try await store.list() }
    #expect(error.message.contains("eu-west-7"))
  }

  @Test func `the error for a missing bucket or an unreachable server names it`() async throws {
    let bucket = try await S3Bucket()
    let nowhere = try S3Location(
      "s3://no-such-bucket-\(UUID().uuidString.lowercased())", endpoint: bucket.address.endpoint,
      region: bucket.address.region)
    let missing = try bucket.store(place: nowhere)
    let error = try await bucket.failure { try await missing.check() }
    #expect(error.message.contains("NoSuchBucket") && error.message.contains("Create the bucket"))
    let silent = try S3Location("s3://models", endpoint: "http://127.0.0.1:1")
    let refused = try await bucket.failure {
      try await bucket.store(place: silent).check()
    }
    #expect(refused.message.contains("127.0.0.1:1") && refused.code == .storeUnavailable)
    let stranger = try S3Location("s3://models", endpoint: "https://no-such-host.invalid")
    let unknown = try await bucket.failure {
      try await bucket.store(place: stranger).check()
    }
    #expect(unknown.message.contains("no-such-host.invalid"), "\(unknown)")
  }

  @Test func `invalid responses are errors`() async throws {
    let bucket = try await S3Bucket()
    let store = try bucket.store()
    let digest = try await store.put(sampleBytes(1000))
    func answer(_ method: String, _ text: String, _ status: Int) -> [String: Any] {
      [
        "method": method, "act": "body", "status": status, "times": 1000,
        "bytes": Data(text.utf8).base64EncodedString(),
      ]
    }
    let content = try #require(try await store.open(digest))
    for status in [200, 206] {
      try await bucket.fail(answer("GET", String(repeating: "x", count: 5), status))
      _ = try await bucket.failure { _ = try await content.bytes(in: 0..<5) }
      _ = try await bucket.failure { _ = try await store.list() }
    }
    try await bucket.fail(
      answer("GET", "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>", 200))
    let error = try await bucket.failure { _ = try await store.list() }
    #expect(error.message.contains("is incomplete"))
    try await bucket.fail(answer("HEAD", "", 200))
    _ = try await bucket.failure { _ = try await store.size(of: digest) }
    // The store claims to have stored the blob, but it didn't.
    try await bucket.fail(answer("PUT", "", 200))
    let lie = try await bucket.failure { _ = try await store.put([7, 7]) }
    #expect(lie.message.contains("is missing"), "\(lie)")
  }
}
#endif
