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
import NIOCore
import Testing
import TestSupport

@testable import ModelRepositoryServer

/// Responses from memory, on the connection's event loop, must equal the router's.
@Suite(.timeLimit(.minutes(10))) struct SmallBlobTests {
  private static func get(_ digest: BlobDigest, _ fields: String...) -> String {
    (["GET /v1/blobs/\(digest) HTTP/1.1", "Host: x"] + fields + ["", ""]).joined(separator: "\r\n")
  }

  @Test(arguments: [0, 1, 1024, 65_536])
  func `a response from memory equals the router's`(count: Int) async throws {
    let bytes = sampleBytes(count)
    let (logger, lines) = LineHandler.makeLogger()
    try await TestRepository().serve(.live, logger: logger) { client in
      let digest = try await client.upload(bytes).digest
      let connection = try await RawConnection(client.client.port)
      // The first comes from the disk and the second from memory. The router handles the others.
      let requests = [
        Self.get(digest), Self.get(digest), Self.get(digest, "If-Match: *"),
        Self.get(digest, "Range: lines=1-2"), Self.get(digest, "Content-Length: 0"),
      ]
      var answers: [RawAnswer] = []
      for request in requests {
        try await connection.send(request)
        #expect(try await connection.wait { connection.answers.count == answers.count + 1 })
        answers = connection.answers
      }
      let first = try #require(answers.first)
      #expect(first.status == "HTTP/1.1 200 OK" && first.body == bytes)
      #expect(first.fields["server"] == "TensorIO" && first.fields["date"]?.count == 29)
      for answer in answers {
        var (answer, expected) = (answer, first)
        (answer.fields["date"], expected.fields["date"]) = (nil, nil)
        let isSame = answer == expected
        #expect(isSame, "\(answer.status) \(answer.fields)")
      }
      let metrics = try await client.send(.get, "/metrics").text
      let route = "route=\"/v1/blobs/{digest}\",status=\"200\""
      #expect(
        metrics.contains("http_requests_total{method=\"GET\",\(route)} 5\n"),
        "\(metrics)"
      )
      #expect(metrics.contains("tensorio_sent_blob_bytes_total \(5 * count)\n"))
      // Only the request for /metrics is in progress.
      #expect(metrics.contains("http_requests_in_flight 1\n"))
      let log = lines.withLock { $0 }.filter { $0.contains("path=/v1/blobs/") }
      #expect(log.count == 5 && log.allSatisfy { $0.contains("bytes=\(count) ") }, "\(log)")
    }
  }

  @Test func `conditions and ranges apply to a blob in memory`() async throws {
    let bytes = sampleBytes(1000)
    try await TestRepository().serve(.live) { client in
      let digest = try await client.upload(bytes).digest
      let (path, reader) = ("/v1/blobs/\(digest)", client.with(nil))
      for _ in 0..<3 { #expect(try await reader.send(.get, path).bytes == bytes) }
      let part = try await reader.send(.get, path, headers: [.range: "bytes=-5"], expects: 206)
      #expect(part.bytes == Array(bytes.suffix(5)))
      #expect(part.headers[.contentRange] == "bytes 995-999/1000")
      try await reader.send(.get, path, headers: [.range: "bytes=1000-"], expects: 416)
      try await reader.send(.get, path, headers: [.ifNoneMatch: "\"\(digest)\""], expects: 304)
      let head = try await reader.send(.head, path)
      #expect(head.bytes.isEmpty && head.headers[.contentLength] == "1000")
      #expect(try await reader.send(.get, path + "?x=1").bytes == bytes)
      try await reader.send(.delete, path, expects: 405)
      try await client.with("wrong.secret").send(.get, path, expects: 401)
    }
  }

  @Test func `responses come in the order of the requests`() async throws {
    let (small, large) = (sampleBytes(1000), sampleBytes(300_000, seed: 7))
    try await TestRepository().serve(.live) { client in
      let (one, two) = (
        try await client.upload(small).digest, try await client.upload(large).digest
      )
      try await client.send(.get, "/v1/blobs/\(one)")
      let connection = try await RawConnection(client.client.port)
      let round = [
        Self.get(one), Self.get(two), Self.get(one), "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
        Self.get(one), Self.get(one, "Range: bytes=0-0"), Self.get(one),
      ].joined()
      try await connection.send(String(repeating: round, count: 10))
      #expect(try await connection.wait { connection.answers.count == 70 })
      let expected = [small, large, small, Array("ok\n".utf8), small, [small[0]], small]
      #expect(connection.answers.map(\.body) == (0..<10).flatMap { _ in expected })
    }
  }

  @Test func `a connection is closed when the client asks for it`() async throws {
    try await TestRepository().serve(.live) { client in
      let digest = try await client.upload([1, 2, 3]).digest
      for _ in 0..<3 {
        let connection = try await RawConnection(client.client.port)
        try await connection.send(Self.get(digest, "Connection: close"))
        #expect(try await connection.wait { connection.isClosed })
        #expect(connection.answers.map(\.body) == [[1, 2, 3]])
      }
    }
  }

  @Test func `a client that requests only small blobs isn't considered idle`() async throws {
    let fixture = try await TestRepository { $0.idleTime = 8 }
    try await fixture.serve(.live) { client in
      let digest = try await client.upload([1, 2, 3]).digest
      let connection = try await RawConnection(client.client.port, sends: Self.get(digest))
      try await connection.send(Self.get(digest), times: 11, every: .seconds(1))
      #expect(try await connection.wait { connection.answers.count == 12 })
      #expect(try await connection.wait { connection.isClosed })
    }
  }

  @Test func `a client that doesn't read doesn't get unlimited responses`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve(.live) { client in
      let digest = try await client.upload(sampleBytes(65_536)).digest
      try await client.with(nil).send(.get, "/v1/blobs/\(digest)")
      let connection = try await RawConnection(client.client.port, reads: false)
      let requests = String(repeating: Self.get(digest), count: 5000)
      let sending = Task { try await connection.send(requests) }
      let sent = try await settled { try await client.sentBlobBytes() }
      // The limit covers the connection's buffers in the system. All responses have 328 MB.
      #expect(sent > 65_536 && sent < 60_000_000, "\(sent)")
      try await connection.close()
      _ = await sending.result
    }
  }

  @Test func `a collected blob isn't served from memory`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve(.live) { client in
      let digest = try await client.upload([1, 2, 3]).digest
      for _ in 0..<2 { try await client.with(nil).send(.get, "/v1/blobs/\(digest)") }
      fixture.pass(48 * 3600)
      try await client.send(.post, "/v1/gc")
      try await client.with(nil).send(.get, "/v1/blobs/\(digest)", expects: 404)
    }
  }

  @Test func `a client without a token gets nothing from memory`() async throws {
    let fixture = try await TestRepository { $0.requiresTokenToRead = true }
    try await fixture.serve(.live) { client in
      let digest = try await client.upload([1, 2, 3]).digest
      for _ in 0..<2 {
        #expect(try await client.send(.get, "/v1/blobs/\(digest)").bytes == [1, 2, 3])
        try await client.with(nil).send(.get, "/v1/blobs/\(digest)", expects: 401)
      }
    }
  }

  @Test func `a small file with other bytes isn't sent`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      let digest = try await client.upload(sampleBytes(100)).digest
      try Data(sampleBytes(100, seed: 1)).write(to: URL(filePath: fixture.file(of: digest)))
      try await client.send(.get, "/v1/blobs/\(digest)", expects: 500, code: "blob_damaged")
    }
  }
}
#endif
