// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import ModelRepositoryAPI
import Testing
import TestSupport

@testable import ModelRepositoryServer

/// Large blobs are sent from the page cache, and the parts that it lacks are read from the disk.
@Suite(.timeLimit(.minutes(10))) struct BlobSendingTests {
  private static let size = 5_000_003

  /// Drops a part of a file from the page cache.
  private static func forget(_ path: String, _ range: Range<Int>) throws {
    let file = open(path, O_RDONLY)
    try #require(file >= 0)
    defer { close(file) }
    try #require(fsync(file) == 0)
    #if os(Linux)
    try #require(
      posix_fadvise(file, off_t(range.lowerBound), off_t(range.count), POSIX_FADV_DONTNEED) == 0)
    #endif
  }

  private static let parts: [[Range<Int>]] = [
    [], [0..<size], [0..<1_048_576], [1_048_576..<2_097_152], [4_194_304..<size],
    [0..<262_144, 524_288..<786_432, 3_145_728..<3_149_824],
  ]

  @Test(arguments: parts)
  func `a blob is sent completely, whichever parts are in memory`(forgotten: [Range<Int>])
    async throws
  {
    let bytes = sampleBytes(Self.size)
    let fixture = try await TestRepository()
    try await fixture.serve(.live) { client in
      let digest = try await client.upload(bytes).digest
      for range in forgotten {
        try Self.forget(fixture.file(of: digest), range)
      }
      let answer = try await client.send(.get, "/v1/blobs/\(digest)")
      let isSame = answer.bytes == bytes
      #expect(isSame, "\(answer.bytes.count) bytes")
      let metrics = try await client.send(.get, "/metrics").text
      #expect(metrics.contains("tensorio_sent_blob_bytes_total \(Self.size)\n"))
    }
  }

  @Test(arguments: [
    (0, 1), (65_535, 65_537), (1_048_575, 1_048_577), (262_143, 4_194_305), (4_999_999, 5_000_003),
  ])
  func `ranges are sent completely, one response after another`(first: Int, end: Int) async throws {
    let bytes = sampleBytes(Self.size)
    try await TestRepository().serve(.live) { client in
      let digest = try await client.upload(bytes).digest
      for _ in 0..<2 {
        let answer = try await client.send(
          .get, "/v1/blobs/\(digest)", headers: [.range: "bytes=\(first)-\(end - 1)"], expects: 206)
        let isSame = answer.bytes == Array(bytes[first..<end])
        #expect(isSame, "\(answer.bytes.count) bytes")
      }
    }
  }

  @Test func `many clients can download a blob at once`() async throws {
    let bytes = sampleBytes(Self.size)
    try await TestRepository().serve(.live) { client in
      let digest = try await client.upload(bytes).digest
      let request = "GET /v1/blobs/\(digest) HTTP/1.1\r\nHost: x\r\n\r\n"
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            let connection = try await RawConnection(client.client.port)
            try await connection.send(request + request)
            #expect(try await connection.wait { connection.answers.count == 2 })
            for answer in connection.answers {
              let isSame = answer.body == bytes
              #expect(isSame)
            }
            try await connection.close()
          }
        }
        try await group.waitForAll()
      }
    }
  }

  /// The file is cut before and after the part that is being sent.
  @Test(arguments: [1 << 20, 40 << 20])
  func `truncating a file while it is sent aborts the response and is logged`(
    size: Int
  ) async throws {
    let bytes = [UInt8](repeating: 7, count: 64 << 20)
    let (logger, lines) = LineHandler.makeLogger()
    let fixture = try await TestRepository()
    try await fixture.serve(.live, logger: logger) { client in
      let digest = try await client.upload(bytes).digest
      let connection = try await RawConnection(client.client.port, reads: false)
      try await connection.send("GET /v1/blobs/\(digest) HTTP/1.1\r\nHost: x\r\n\r\n")
      // The client doesn't read yet, so most of the blob hasn't been sent.
      #expect(try await eventually { try await client.sentBlobBytes() > 0 })
      #expect(truncate(fixture.file(of: digest), off_t(size)) == 0)
      connection.read()
      #expect(try await connection.wait { connection.isClosed })
      #expect(connection.count < bytes.count)
      #expect(
        try await connection.wait {
          lines.withLock { $0.contains { $0.contains("request aborted") } }
        })
      // The server keeps running.
      let other = try await RawConnection(client.client.port)
      try await other.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await other.wait { other.received.hasPrefix("HTTP/1.1 200 OK") })
      try await other.close()
    }
  }

  @Test func `file content knows which of its parts are in memory`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "content-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(count: 1 << 20).write(to: URL(filePath: path))
    let content = try #require(try FileContent(path))
    #expect(content.size == 1 << 20)
    #expect(try content.beginningInMemory(of: 5..<5) == 5..<5)
    #expect(try content.beginningInMemory(of: (1 << 20)..<(1 << 21)).isEmpty)
    let ready = try content.beginningInMemory(of: 0..<content.size)
    // Not every file system reports this.
    guard !ready.isEmpty else { return }
    #expect(ready == 0..<content.size)
    // A range past the end of the file is never ready.
    #expect(try content.beginningInMemory(of: 0..<(1 << 21)) == 0..<content.size)
    #expect(try FileContent(FileManager.default.temporaryDirectory.path) == nil)
    #expect(try FileContent(path + "-none") == nil)
  }
}
#endif
