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

/// Tests temporary failures.
@Suite(.enabled(if: S3Peer.isThere, "TENSORIO_PYTHON isn't set."), .timeLimit(.minutes(10)))
struct S3RetryTests {
  @Test(arguments: [
    (500, "InternalError"), (503, "SlowDown"), (502, ""), (429, "TooManyRequests"),
    (400, "RequestTimeout"), (504, ""), (408, ""),
  ])
  func `temporary failures of the store are retried`(status: Int, code: String) async throws {
    let bucket = try await S3Bucket()
    let store = try bucket.store(limits: .small)
    for count in [1000, 350_000] {
      var faults: [[String: Any]] = ["PUT", "POST", "GET", "DELETE", "POST"].map {
        ["method": $0, "act": "status", "status": status, "code": code, "times": 2]
      }
      if status != 400 {
        faults.append(["method": "HEAD", "act": "status", "status": status, "times": 2])
      }
      try await S3Peer.ask(["do": "faults", "bucket": bucket.name, "faults": faults])
      let bytes = sampleBytes(count)
      let digest = try await store.put(bytes)
      let content = try #require(try await store.open(digest))
      var read: [UInt8] = []
      try await content.forEachPiece(in: 0..<count) { read += $0.readableBytesView }
      #expect(read == bytes)
      #expect(try await store.list().map(\.blob.digest) == [digest])
      try await store.delete(digest)
      #expect(try await store.list().isEmpty)
      #expect(try await bucket.list().uploads.isEmpty)
    }
  }

  @Test func `a lasting failure of the store is an error and leaves nothing behind`() async throws {
    let bucket = try await S3Bucket()
    let store = try bucket.store(limits: .small)
    let bytes = sampleBytes(350_000)
    let fault: [String: Any] = [
      "method": "PUT", "act": "status", "status": 503, "code": "SlowDown", "times": 1000,
    ]
    // The fault begins with the third part.
    try await bucket.fail(fault.merging(["after": 2]) { $1 })
    let error = try await bucket.failure { _ = try await store.put(bytes) }
    #expect(error.code == .storeUnavailable)
    for part in [
      "503 SlowDown", "All 5 attempts failed", bucket.key(BlobDigest(of: bytes)), bucket.name,
      bucket.address.endpoint,
    ] {
      #expect(error.message.contains(part), "\(error)")
    }
    let (keys, uploads) = try await bucket.list()
    #expect(keys.isEmpty && uploads.isEmpty)
    #expect(try await bucket.requests().filter { $0 == "PUT 503" }.count == 5)
  }

  @Test func `an interrupted request is sent again`() async throws {
    let bucket = try await S3Bucket()
    let store = try bucket.store(limits: .small)
    for (count, read) in [(90_000, 0), (90_000, 50_000), (350_000, 50_000)] {
      try await bucket.fail([
        "method": "PUT", "act": "cut_request", "bytes_read": read, "times": 2,
      ])
      let bytes = sampleBytes(count, seed: UInt8(read % 251))
      let digest = try await store.put(bytes)
      #expect(try await bucket.get(bucket.key(digest)) == bytes)
      #expect(try await bucket.requests().filter { $0 == "PUT 0" }.count == 2)
    }
  }

  @Test func `reading resumes where it was interrupted`() async throws {
    let bucket = try await S3Bucket()
    let store = try bucket.store()
    let bytes = sampleBytes(1_000_000)
    let digest = try await store.put(bytes)
    let content = try #require(try await store.open(digest))
    for act in ["cut", "shorten"] {
      try await bucket.fail(["method": "GET", "act": act, "bytes_sent": 130_000, "times": 1000])
      _ = try await bucket.requests()
      var read: [UInt8] = []
      try await content.forEachPiece(in: 7..<999_999) { read += $0.readableBytesView }
      #expect(read == Array(bytes[7..<999_999]))
      let count = try await bucket.requests().count
      #expect((8...12).contains(count), "\(count)")
    }
    // A read of one range starts over, and fails after some attempts.
    let error = try await bucket.failure { _ = try await content.bytes(in: 0..<200_000) }
    #expect(error.message.contains("closed the connection"), "\(error)")
    #expect(try await content.bytes(in: 0..<100_000).readableBytes == 100_000)
  }

  @Test func `a response with status 200 can be a failure`() async throws {
    let bucket = try await S3Bucket()
    let store = try bucket.store(limits: .small)
    let bytes = sampleBytes(250_000)
    func answer(_ text: String, _ times: Int) -> [String: Any] {
      [
        "method": "POST", "match": "uploadId", "act": "body", "times": times,
        "bytes": Data(text.utf8).base64EncodedString(),
      ]
    }
    func error(_ code: String) -> String {
      "<?xml version=\"1.0\"?>\n\n<Error><Code>\(code)</Code><Message>m</Message></Error>"
    }
    for text in [error("InternalError"), error("SlowDown"), "", " \n", "<Complete"] {
      try await bucket.fail(answer(text, 2))
      let digest = try await store.put(bytes)
      #expect(try await bucket.get(bucket.key(digest)) == bytes)
      try await store.delete(digest)
    }
    for (text, word) in [(error("InvalidPart"), "InvalidPart"), ("<Else/>", "'Else'")] {
      try await bucket.fail(answer(text, 1000))
      let failure = try await bucket.failure { _ = try await store.put(bytes) }
      #expect(failure.message.contains(word), "\(failure)")
      #expect(try await bucket.list() == ([], []))
    }
    let copy = try await store.put([1, 2])
    let denied = Data(error("AccessDenied").utf8).base64EncodedString()
    try await bucket.fail(["method": "PUT", "act": "body", "bytes": denied])
    let failure = try await bucket.failure { try await store.quarantine(copy) }
    #expect(failure.message.contains("AccessDenied"))
    #expect(try await store.size(of: copy) == 2)
  }

  @Test func `a lost response does no harm`() async throws {
    let bucket = try await S3Bucket()
    let store = try bucket.store(limits: .small)
    let bytes = sampleBytes(250_000)
    let lost = [("PUT", ""), ("PUT", "partNumber=2"), ("POST", "uploadId"), ("HEAD", "")]
    for (method, match) in lost {
      try await bucket.fail(["method": method, "match": match, "act": "drop"])
      let digest = try await store.put(bytes)
      #expect(try await bucket.get(bucket.key(digest)) == bytes)
      try await bucket.fail(["method": "DELETE", "act": "drop"])
      try await store.delete(digest)
      #expect(try await store.size(of: digest) == nil)
    }
    // If the store lost the parts, the upload fails even though an older blob exists.
    let digest = BlobDigest(of: bytes)
    try await bucket.put(sampleBytes(250_000, seed: 1), bucket.key(digest))
    try await bucket.fail([
      "method": "POST", "match": "uploadId", "act": "status", "status": 404,
      "code": "NoSuchUpload", "times": 1000,
    ])
    let error = try await bucket.failure { _ = try await store.put(bytes) }
    #expect(error.message.contains("lost the parts"), "\(error)")
  }

  @Test func `a request to a stalled store times out and is retried`() async throws {
    let bucket = try await S3Bucket()
    var policy = S3Bucket.policy
    // This is long enough for punctual responses on a busy machine.
    policy.web.stall = .seconds(3)
    policy.retries.attempts = 3
    let store = try bucket.store(policy: policy)
    let digest = try await store.put([1, 2, 3])
    for method in ["PUT", "HEAD", "GET"] {
      try await bucket.fail(["method": method, "act": "slow", "seconds": 5])
      _ = try await store.put([1, 2, 3])
      let content = try #require(try await store.open(digest))
      #expect(try await content.bytes(in: 0..<3) == ByteBuffer(bytes: [1, 2, 3]))
    }
    try await bucket.fail(["act": "slow", "seconds": 5, "times": 3])
    let error = try await bucket.failure { _ = try await store.size(of: digest) }
    #expect(error.message.contains("sent and received nothing for 3.0 seconds"), "\(error)")
  }
}
#endif
