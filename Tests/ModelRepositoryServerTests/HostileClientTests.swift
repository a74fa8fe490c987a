// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import ModelRepositoryAPI
import NIOCore
import Testing
import TestSupport

@testable import ModelRepositoryServer

@Suite(.timeLimit(.minutes(10))) struct HostileClientTests {
  private static func head(
    _ client: TestClient, _ line: String, _ fields: [String] = []
  ) -> String {
    let own = ["Host: localhost", "Authorization: Bearer \(client.token ?? "")"]
    return ([line + " HTTP/1.1"] + own + fields + ["", ""]).joined(separator: "\r\n")
  }

  @Test func `a body that is too large is rejected before it arrives`() async throws {
    let fixture = try await TestRepository { $0.maximumBlobBytes = 1000 }
    try await fixture.serve(.live) { client in
      let id = try await client.begin()
      for (line, fields, code) in [
        (
          "PATCH /v1/uploads/\(id)",
          ["Content-Range: bytes 0-99999999999/*", "Content-Length: 100000000000"],
          "blob_too_large"
        ),
        (
          "PATCH /v1/uploads/\(id)",
          ["Content-Range: bytes 0-9/*", "Content-Length: 100000000000"], "wrong_length"
        ),
        (
          "POST /v1/models/cats/versions",
          ["Content-Type: application/json", "Content-Length: 100000000000"], "body_too_large"
        ),
      ] {
        let connection = try await RawConnection(client.client.port)
        try await connection.send(Self.head(client, line, fields))
        #expect(try await connection.wait { connection.received.contains(code) })
        #expect(try await connection.wait { connection.isClosed })
      }
      #expect(
        try await client.send(.get, "/v1/uploads/\(id)").decoded(UploadState.self).offset == 0)
    }
  }

  @Test func `an endless body is cut off`() async throws {
    try await TestRepository().serve(.live) { client in
      let id = try await client.begin()
      let connection = try await RawConnection(client.client.port)
      try await connection.send(
        Self.head(
          client, "PATCH /v1/uploads/\(id)",
          ["Content-Range: bytes 0-9999/*", "Transfer-Encoding: chunked"]))
      let chunk = "400\r\n" + String(repeating: "x", count: 1024) + "\r\n"
      var count = 0
      while !connection.isClosed, count < 200_000 {
        guard (try? await connection.send(chunk)) != nil else { break }
        count += 1
        if connection.received.contains("wrong_length") {
          try await Task.sleep(for: .milliseconds(5))
        }
      }
      #expect(try await connection.wait { connection.isClosed })
      #expect(connection.received.contains("wrong_length"))
      let state = try await client.send(.get, "/v1/uploads/\(id)").decoded(UploadState.self)
      #expect(state.offset <= 10_000)
    }
  }

  @Test func `a body isn't read for a client without a token`() async throws {
    try await TestRepository().serve(.live) { client in
      let connection = try await RawConnection(client.client.port)
      try await connection.send(
        "PATCH /v1/uploads/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
      #expect(try await connection.wait { connection.received.contains("401 Unauthorized") })
      #expect(try await connection.wait { connection.isClosed })
    }
  }

  @Test func `a body that arrives too slowly is cut off`() async throws {
    let fixture = try await TestRepository {
      $0.minimumBodyRate = 10_000
      $0.slowBodyTime = .milliseconds(200)
    }
    try await fixture.serve(.live) { client in
      let id = try await client.begin()
      let connection = try await RawConnection(client.client.port)
      try await connection.send(
        Self.head(
          client, "PATCH /v1/uploads/\(id)",
          ["Content-Range: bytes 0-999/*", "Content-Length: 1000"]))
      let isEnded = try await eventually {
        try? await connection.send("x")
        return connection.received.contains("body_too_slow")
      }
      #expect(isEnded && connection.received.contains("408 Request Timeout"))
      #expect(try await connection.wait { connection.isClosed })
    }
  }

  @Test func `a silent client is disconnected`() async throws {
    let fixture = try await TestRepository { $0.idleTime = 2 }
    try await fixture.serve(.live) { client in
      let id = try await client.begin()
      let silent = try await RawConnection(client.client.port)
      let half = try await RawConnection(client.client.port, sends: "GET /healthz HTT")
      let body = try await RawConnection(
        client.client.port,
        sends: Self.head(
          client, "PATCH /v1/uploads/\(id)",
          ["Content-Range: bytes 0-999/*", "Content-Length: 1000"]) + "abc")
      for connection in [silent, half, body] {
        #expect(try await connection.wait { connection.isClosed })
      }
    }
  }

  @Test func `a client that doesn't read is disconnected`() async throws {
    let bytes = [UInt8](repeating: 7, count: 32 << 20)
    let fixture = try await TestRepository { $0.idleTime = 4 }
    // Upload without a network, because a slow upload on a busy machine could count as idle.
    let blob = try await fixture.serve { client in try await client.upload(bytes) }
    try await fixture.serve(.live) { client in
      let connection = try await RawConnection(
        client.client.port, reads: false,
        sends: Self.head(client, "GET /v1/blobs/\(blob.digest)"))
      #expect(try await eventually { try await client.sentBlobBytes() > 0 })
      #expect(try await client.hasUnderWay(1))
      try? await connection.close()
    }
  }

  /// Otherwise a few slow clients would bring whole blobs into memory.
  @Test func `a blob isn't read much faster than the client takes it`() async throws {
    let fixture = try await TestRepository()
    let bytes = [UInt8](repeating: 7, count: 64 << 20)
    let blob = try await fixture.serve { client in try await client.upload(bytes) }
    let store = CountingBlobStore(size: blob.size)
    let server = ModelRepositoryServer(
      try await fixture.open(blobs: store), Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    try await server.application().test(.live) { client in
      let connection = try await RawConnection(client.port, reads: false)
      try await connection.send("GET /v1/blobs/\(blob.digest) HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await connection.wait { store.count > 0 })
      // The limit covers the connection's buffers in the system and a few pieces.
      let count = try await settled { store.count }
      #expect(count < 64, "\(count) pieces of \(blob.size / blobPieceSize)")
      try await connection.close()
    }
  }

  @Test func `bytes that arrive before a client disconnects are kept`() async throws {
    let bytes = sampleBytes(700_000).map { $0 & 0x7F }
    try await TestRepository().serve(.live) { client in
      for cut in [1, 1000, 300_000, 699_999] {
        let id = try await client.begin()
        let connection = try await RawConnection(client.client.port)
        let range = ["Content-Range: bytes 0-699999/*", "Content-Length: 700000"]
        try await connection.send(
          Self.head(client, "PATCH /v1/uploads/\(id)", range)
            + String(decoding: bytes[..<cut], as: UTF8.self))
        try await connection.close()
        var offset = 0
        let isKept = try await eventually {
          offset = try await client.send(.get, "/v1/uploads/\(id)").decoded(UploadState.self).offset
          return offset > 0
        }
        #expect(isKept && offset == cut)
        try await client.append(id, Array(bytes[offset...]), from: offset)
        try await client.finish(id, BlobDigest(of: bytes))
      }
    }
  }
}

/// A store of one blob of zeros that counts the pieces that are read.
private final class CountingBlobStore: BlobStore {
  private struct Content: BlobContent {
    let size: Int
    let count: Shared<Int>

    func bytes(in range: Range<Int>) async throws -> ByteBuffer {
      count.withLock { $0 += 1 }
      return ByteBuffer(repeating: 0, count: range.count)
    }
  }

  private let size: Int
  private let pieces = Shared(0)

  init(size: Int) { self.size = size }

  /// The number of pieces that were read.
  var count: Int { pieces.withLock { $0 } }

  func open(_ digest: BlobDigest) async throws -> (any BlobContent)? {
    Content(size: size, count: pieces)
  }

  func put(_ file: String, as blob: BlobReference) async throws {}
  func size(of digest: BlobDigest) async throws -> Int? { size }
  func delete(_ digest: BlobDigest) async throws {}
  func quarantine(_ digest: BlobDigest) async throws {}
  func list() async throws -> [StoredBlob] { [] }
}
#endif
