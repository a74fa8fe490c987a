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

/// Tests that are specific to S3.
///
/// `BlobStoreTests` has the tests that every store must pass.
@Suite(.enabled(if: S3Peer.isThere, "TENSORIO_PYTHON isn't set."), .timeLimit(.minutes(10)))
struct S3BlobStoreTests {
  @Test(arguments: [0, 1, 99_999, 100_000, 100_001, 950_000])
  func `boto3 reads what the store writes, and vice versa`(count: Int) async throws {
    let bucket = try await S3Bucket()
    let store = try bucket.store(limits: .small)
    let bytes = sampleBytes(count)
    let digest = try await store.put(bytes)
    #expect(try await bucket.get(bucket.key(digest)) == bytes)
    let (keys, uploads) = try await bucket.list()
    #expect(keys == [bucket.key(digest)] && uploads.isEmpty)
    let requests = try await bucket.requests().filter { $0 == "POST 200" }
    #expect(requests.count == (count > 100_000 ? 2 : 0))

    try await bucket.delete(bucket.key(digest))
    #expect(try await store.size(of: digest) == nil)
    try await bucket.put(bytes, bucket.key(digest))
    let content = try #require(try await store.open(digest))
    var read: [UInt8] = []
    try await content.forEachPiece(in: 0..<count) { read += $0.readableBytesView }
    #expect(read == bytes)
  }

  @Test func `a list includes all pages and only blobs`() async throws {
    let bucket = try await S3Bucket()
    var limits = S3BlobStore.Limits()
    limits.pageNames = 3
    let store = try bucket.store(limits: limits)
    var digests: Set<BlobDigest> = []
    for number in 0..<8 {
      let bytes = sampleBytes(number)
      digests.insert(BlobDigest(of: bytes))
      try await bucket.put(bytes, bucket.key(BlobDigest(of: bytes)))
    }
    let digits = BlobDigest(of: [42]).hexadecimal
    for key in [
      "\(digits.prefix(2))/x", "\(digits)", "xx/\(digits)", "\(digits.prefix(2))/\(digits)/more",
      "\(digits.prefix(2))/\(digits.uppercased())", "\(digits.prefix(3))/\(digits)", "a\u{1}b",
    ] {
      try await bucket.put([1], "\(bucket.prefix)/sha256/\(key)")
    }
    try await bucket.put([1], "\(bucket.prefix)/quarantine/\(digits)")
    try await bucket.put([1], "sha256/\(digits.prefix(2))/\(digits)")
    let list = try await store.list()
    #expect(Set(list.map(\.blob.digest)) == digests && list.count == 8)
    #expect(Set(list.map(\.blob.size)) == Set(0..<8))
    #expect(list.allSatisfy { abs($0.stored.timeIntervalSinceNow) < 60 })
    #expect(try await bucket.requests().filter { $0 == "GET 200" }.count >= 5)
  }

  @Test func `a quarantined blob is kept for inspection`() async throws {
    let bucket = try await S3Bucket()
    let store = try bucket.store()
    let digest = try await store.put([1, 2, 3])
    try await store.quarantine(digest)
    let keys = try await bucket.list().keys
    let key = try #require(keys.first)
    #expect(keys.count == 1 && key.hasPrefix("\(bucket.prefix)/quarantine/\(digest.hexadecimal)."))
    #expect(try await bucket.get(key) == [1, 2, 3])

    var limits = S3BlobStore.Limits()
    limits.copiedBytes = 2
    let small = try bucket.store(limits: limits)
    _ = try await small.put([1, 2, 3])
    let error = try await bucket.failure { try await small.quarantine(digest) }
    #expect(error.message.contains("manually") && error.message.contains("3 bytes"))
    #expect(try await small.size(of: digest) == 3)
  }

  @Test func `a location belongs to one repository`() async throws {
    let bucket = try await S3Bucket()
    try await bucket.store(id: "first").check()
    try await bucket.store(id: "first", mayBegin: false).check()
    let error = try await bucket.failure { try await bucket.store(id: "second").check() }
    #expect(error.message.contains("'first'") && error.message.contains("'second'"))
    let other = try await S3Bucket()
    let missing = try await bucket.failure {
      try await other.store(id: "first", mayBegin: false).check()
    }
    #expect(missing.message.contains("repository.json"))
    // Of several repositories that start at once, only one claims the location.
    let third = try await S3Bucket()
    let winners = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<6 {
        group.addTask {
          (try? await third.store(id: "\(number)").check()) != nil
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(winners == 1)
  }
}
#endif
