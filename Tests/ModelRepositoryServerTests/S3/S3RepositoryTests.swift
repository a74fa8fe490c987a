// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import TestSupport
import Testing
import WebClient

@testable import ModelRepositoryAPI
@testable import ModelRepositoryServer

/// Tests a repository whose blobs are in S3.
@Suite(.enabled(if: S3Peer.isThere, "TENSORIO_PYTHON isn't set."), .timeLimit(.minutes(10)))
struct S3RepositoryTests {
  private static func repository(
    _ bucket: S3Bucket, _ change: (inout ModelRepositoryOptions) -> Void = { _ in }
  ) async throws -> TestRepository {
    let place = try bucket.place
    return try await TestRepository {
      $0.blobs = .s3(place)
      $0.credentials = bucket.credentials
      $0.storePolicy = S3Bucket.policy
      change(&$0)
    }
  }

  @Test func `a repository stores its blobs in S3`() async throws {
    let bucket = try await S3Bucket()
    let fixture = try await Self.repository(bucket) {
      ($0.limits.wholeBytes, $0.limits.partBytes) = (500_000, 500_000)
    }
    let bytes = sampleBytes(1_300_000)
    let manifest = try await fixture.serve(.live) { client in
      try await client.repository.blobs.check()
      try await client.send(.get, "/readyz")
      let manifest = try await client.uploadVersion("1.0", bytes: bytes)
      try await client.send(
        .post, "/v1/models/cats/versions", json: VersionPublication(manifest: manifest),
        expects: 201)
      _ = try await client.set(to: "1.0", tag: nil)
      #expect(try await client.document().document.release?.version.text == "1.0")
      return manifest
    }
    let digest = BlobDigest(of: bytes)
    #expect(try await bucket.get(bucket.key(digest)) == bytes)
    // The data folder records where its blobs are.
    let note = try String(contentsOfFile: fixture.folder + "/blobs.json", encoding: .utf8)
    #expect(note.contains(bucket.name) && !note.contains(bucket.address.secret))
    #expect(!FileManager.default.fileExists(atPath: fixture.folder + "/blobs"))
    #expect(try FileSystem.names(in: fixture.folder + "/uploads").isEmpty)

    try await fixture.serve(.live) { client in
      let path = "/v1/blobs/\(digest)"
      #expect(try await client.send(.get, path).bytes == bytes)
      for (range, expected) in [
        ("bytes=0-0", 0..<1), ("bytes=300000-900000", 300_000..<900_001),
        ("bytes=-5", 1_299_995..<1_300_000), ("bytes=1299999-", 1_299_999..<1_300_000),
      ] {
        let answer = try await client.send(.get, path, headers: [.range: range], expects: 206)
        #expect(answer.bytes == Array(bytes[expected]))
      }
      try await client.send(.get, path, headers: [.range: "bytes=1300000-"], expects: 416)
      try await client.send(.head, path)
      #expect(try await client.send(.get, "/v1/blobs/\(manifest)").bytes.isEmpty == false)
      try await client.send(.post, "/v1/uploads?digest=\(digest)")
      let nobodys = try await client.upload(Array("nobody's".utf8)).digest
      let orphan = BlobDigest(of: [42])
      try await bucket.put([42], bucket.key(orphan))
      fixture.pass(48 * 3600 + Date().timeIntervalSince(fixture.now).magnitude)
      let report = try await client.send(.post, "/v1/gc").decoded(CollectionReport.self)
      #expect(report == CollectionReport(blobs: 1, orphans: 1, bytes: 9))
      let keys = try await bucket.list().keys
      #expect(!keys.contains(bucket.key(nobodys)) && !keys.contains(bucket.key(orphan)))
      #expect(keys.count == 3)
    }
  }

  @Test func `changes that another program made to blobs are found`() async throws {
    let bucket = try await S3Bucket()
    let fixture = try await Self.repository(bucket)
    try await fixture.serve { client in
      try await client.repository.blobs.check()
      for version in ["1", "2", "3"] { try await client.publish(version) }
    }
    let digests = ["cats 1", "cats 2", "cats 3"].map { BlobDigest(of: Array($0.utf8)) }
    do {
      let store = RepositoryStore(try await fixture.open())
      let report = try await store.fsck()
      #expect(report.isSound && report.blobs == 6)
      try await bucket.put(Array("dogs 1".utf8), bucket.key(digests[0]))
      try await bucket.put([1], bucket.key(digests[1]))
      try await bucket.delete(bucket.key(digests[2]))
      let damage = try await store.fsck()
      #expect(damage.wrongDigests == ["\(digests[0])"] && damage.wrongSizes == ["\(digests[1])"])
      #expect(damage.lost == ["\(digests[2])"] && damage.missing.count == 3)
      let quarantined = try await bucket.list().keys.filter { $0.contains("/quarantine/") }
      #expect(quarantined.count == 2)
      let places = try await quarantined.asyncMap { try await bucket.get($0) }
      #expect(Set(places) == [Array("dogs 1".utf8), [1]])
    }
    try await fixture.serve { client in
      for text in ["cats 1", "cats 2", "cats 3"] { try await client.upload(Array(text.utf8)) }
    }
    #expect(try await RepositoryStore(fixture.open()).fsck().isSound)
  }

  @Test func `another location is rejected once the repository has blobs`() async throws {
    let bucket = try await S3Bucket()
    let fixture = try await TestRepository { $0.credentials = bucket.credentials }
    var options = fixture.options
    func open(_ place: BlobLocation?) throws -> Repository {
      options.blobs = place
      return try Repository(options)
    }
    let (place, other) = (try bucket.place, try S3Location("s3://other"))
    // Without blobs, the location can change.
    #expect(try open(.s3(other)).blobs is S3BlobStore)
    #expect(try open(.folder).blobs is FolderBlobStore)
    #expect(try open(.s3(place)).blobs is S3BlobStore)
    #expect(try open(nil).blobs is S3BlobStore)
    try await fixture.serve { client in
      try await client.repository.blobs.check()
      try await client.publish("1")
    }
    for (wish, words) in [
      (BlobLocation.folder, ["data folder itself", bucket.name]),
      (.s3(other), [other.description, place.description]),
    ] {
      let error = #expect(throws: RepositoryError.self) { _ = try open(wish) }
      #expect(error?.code == .invalidOption)
      for word in words { #expect(error?.message.contains(word) == true, "\(word)") }
    }
    #expect(try open(.s3(place)).blobs is S3BlobStore)
    try Data("{}".utf8).write(to: URL(filePath: options.dataFolder + "/blobs.json"))
    let error = #expect(throws: RepositoryError.self) { _ = try open(nil) }
    #expect(error?.message.contains("blobs.json") == true)
    // A repository with blobs in its folder can't move to S3 either.
    let folder = try await TestRepository()
    try await folder.serve { _ = try await $0.publish("1") }
    options = folder.options
    let moved = #expect(throws: RepositoryError.self) { _ = try open(.s3(place)) }
    #expect(moved?.message.contains(place.name) == true)
  }

  @Test func `a server that can't reach its store fails at the start`() async throws {
    let bucket = try await S3Bucket()
    let fixture = try await Self.repository(bucket)
    try await bucket.fail(["act": "status", "status": 403, "code": "AccessDenied", "times": 1000])
    let server = try await fixture.server()
    let error = await #expect(throws: RepositoryError.self) { try await server.run { _ in } }
    #expect(error?.code == .storeUnavailable)
    #expect(error?.message.contains("AccessDenied") == true)
  }

  @Test func `an unavailable store is reported as a problem with a code`() async throws {
    let bucket = try await S3Bucket()
    let fixture = try await Self.repository(bucket) { $0.storePolicy.retries.attempts = 2 }
    try await fixture.serve(.ahc(.http)) { client in
      try await client.repository.blobs.check()
      let bytes = sampleBytes(400_000)
      let blob = try await client.upload(bytes)
      let upload = try await client.begin()
      try await client.append(upload, [1, 2, 3], from: 0)
      let other = BlobDigest(of: [1, 2, 3])
      let away: [String: Any] = ["act": "status", "status": 503, "code": "SlowDown", "times": 1000]
      try await bucket.fail(away)
      let code = "store_unavailable"
      try await client.send(.get, "/v1/blobs/\(blob.digest)", expects: 503, code: code)
      try await client.send(.head, "/v1/blobs/\(blob.digest)", expects: 503)
      try await client.send(.post, "/v1/uploads?digest=\(blob.digest)", expects: 503, code: code)
      try await client.send(.post, "/v1/gc", expects: 503, code: code)
      let refusal = try await client.finish(upload, other, expects: 503, code: code)
      #expect(!refusal.text.contains(bucket.name) && refusal.headers[.retryAfter] != nil)
      // The server checks the store once a second.
      #expect(try await eventually { try await client.status("/readyz") == 503 })
      try await client.send(.get, "/readyz", expects: 503, code: "not_ready")
      try await client.send(.get, "/healthz")
      // A blob isn't reported as missing if the store couldn't be asked.
      try await bucket.fail(away.merging(["method": "GET"]) { $1 })
      try await client.send(.get, "/v1/blobs/\(blob.digest)", expects: 503, code: code)

      try await bucket.fail()
      // The upload still exists.
      try await client.finish(upload, other)
      #expect(try await client.send(.get, "/v1/blobs/\(blob.digest)").bytes == bytes)
      #expect(try await eventually { try await client.status("/readyz") == 200 })
    }
  }

  @Test func `a response that can't be completed is cut off`() async throws {
    let bucket = try await S3Bucket()
    let fixture = try await Self.repository(bucket)
    try await fixture.serve(.live) { client in
      let bytes = sampleBytes(2_000_000)
      let blob = try await client.upload(bytes)
      try await bucket.fail(
        ["method": "GET", "act": "cut", "bytes_sent": 700_000],
        ["method": "GET", "act": "status", "status": 500, "times": 1000])
      let connection = try await RawConnection(client.client.port)
      try await connection.send("GET /v1/blobs/\(blob.digest) HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await connection.wait { connection.isClosed })
      let received = connection.received
      #expect(received.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(received.lowercased().contains("content-length: 2000000\r\n"))
      #expect(received.utf8.count < 2_000_000)
      // A blob whose downloads are cut repeatedly still arrives complete.
      try await bucket.fail(["method": "GET", "act": "cut", "bytes_sent": 300_000, "times": 1000])
      #expect(try await client.send(.get, "/v1/blobs/\(blob.digest)").bytes == bytes)
    }
  }

  /// Otherwise a few slow clients would bring whole blobs into memory.
  @Test func `a blob isn't read from the store much faster than the client takes it`() async {
    // This runs in its own process because other tests use memory too.
    await #expect(processExitsWith: .success) { try await S3RepositoryTests.takeSlowly() }
  }

  private static func takeSlowly() async throws {
    let bucket = try await S3Bucket()
    let store = try bucket.store()
    let file = FileManager.default.temporaryDirectory.appending(path: "blob-\(UUID())")
    let bytes = [UInt8](repeating: 7, count: 48 << 20)
    try Data(bytes).write(to: file)
    let blob = BlobReference(digest: BlobDigest(of: bytes), size: bytes.count)
    try await store.put(file.path, as: blob)
    let content = try #require(try await store.open(blob.digest))
    let before = try Self.residentBytes()
    var pieces = try await content.pieces(in: 0..<bytes.count).makeAsyncIterator()
    _ = try await pieces.next()
    let grown = try await settled { try Self.residentBytes() } - before
    var count = blobPieceSize
    while let piece = try await pieces.next() { count += piece.readableBytes }
    guard grown < 24 << 20, count == bytes.count else {
      print(grown, count)
      exit(3)
    }
  }

  /// The process's resident memory, or 0 if the system doesn't report it.
  private static func residentBytes() throws -> Int {
    let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    guard let text else { return 0 }
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
  }

  @Test func `concurrent publications and garbage collections lose nothing`() async throws {
    let bucket = try await S3Bucket()
    let fixture = try await Self.repository(bucket) { $0.collectionGracePeriod = -10 }
    try await fixture.serve { client in
      try await client.repository.blobs.check()
      try await withThrowingTaskGroup(of: Int.self) { group in
        for worker in 0..<4 {
          group.addTask {
            var published = 0
            for number in 0..<4 {
              for _ in 0..<100 {
                let version = "\(worker).\(number)"
                guard try await client.publishUnlessCollected(version) != nil else { continue }
                published += 1
                break
              }
            }
            return published
          }
        }
        let isOver = Shared(false)
        let collector = Task {
          while !isOver.withLock({ $0 }) {
            _ = try await client.send(.post, "/v1/gc")
            try? await Task.sleep(for: .milliseconds(30))
          }
        }
        let count = try await group.reduce(0, +)
        isOver.withLock { $0 = true }
        try await collector.value
        #expect(count == 16)
      }
    }
    #expect(try await RepositoryStore(fixture.open()).fsck().isSound)
  }
}

extension Sequence {
  fileprivate func asyncMap<Value>(
    _ transform: (Element) async throws -> Value
  ) async rethrows -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await transform(element)) }
    return values
  }
}
#endif
