// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import ModelRepositoryAPI
import NIOCore
import NIOHTTP1
import NIOPosix
import TestSupport
import Testing

@testable import ModelRepositoryClient

/// Tests uploads to a server that is busy, restarts, or stops reading.
@Suite(.timeLimit(.minutes(5))) struct BlobUploaderTests {
  private typealias Server = ScriptedRepositoryServer
  private static let bytes = Data("abc".utf8)
  private let blob = BlobReference(digest: BlobDigest(of: Self.bytes), size: 3)

  private static func problem(_ status: String, _ code: String) -> Server.Answer {
    .reply(
      status, ["Content-Type: application/problem+json"],
      body: Array(#"{"code":"\#(code)","status":\#(status.prefix(3)),"title":"No."}"#.utf8))
  }

  private static func state(_ status: String, offset: Int) -> Server.Answer {
    .reply(status, body: Array(#"{"id":"x","offset":\#(offset)}"#.utf8))
  }

  private func upload(
    to port: Int, patience: Duration = .seconds(100)
  ) async throws -> Int {
    let path = FileManager.default.temporaryDirectory.appending(path: "blob-\(UUID())")
    try Self.bytes.write(to: path)
    defer { try? FileManager.default.removeItem(at: path) }
    let connection = try RepositoryConnection(
      server: "http://127.0.0.1:\(port)", token: nil, certificateAuthorities: nil)
    // The server is known to exist.
    _ = try await connection.send(.GET, "/v1/models")
    let uploader = BlobUploader(connection: connection, memory: nil, patience: patience)
    let sent = Counter()
    try await uploader.upload(path.path, as: blob) { _ in _ = sent.next() }
    return sent.next() - 1
  }

  @Test func `a server that is busy with a lost connection is waited for`() async throws {
    let (begun, sent, finished) = (Counter(), Counter(), Counter())
    let server = try await Server { request in
      if request.path == "/v1/models" { return .reply("200 OK") }
      if request.path.hasPrefix("/v1/uploads?") {
        // A server that restarts refuses the first request.
        return begun.next() == 1
          ? Self.problem("503 Service Unavailable", "ending") : Self.state("201 Created", offset: 0)
      }
      if request.path.contains("?digest=") {
        return finished.next() == 1
          ? Self.problem("409 Conflict", "upload_busy") : .reply("201 Created")
      }
      guard request.fields["content-range"] != nil else { return Self.state("200 OK", offset: 0) }
      return sent.next() == 1
        ? Self.problem("409 Conflict", "upload_busy") : Self.state("202 Accepted", offset: 3)
    }
    #expect(try await upload(to: server.port) == 1)
    #expect(begun.next() == 3 && sent.next() == 3 && finished.next() == 3)
  }

  @Test func `a server that stays busy isn't waited for forever`() async throws {
    for isSending in [true, false] {
      let server = try await Server { request in
        if request.path == "/v1/models" { return .reply("200 OK") }
        if request.path.hasPrefix("/v1/uploads?") { return Self.state("201 Created", offset: 0) }
        if !isSending, request.fields["content-range"] != nil {
          return Self.state("202 Accepted", offset: 3)
        }
        let isGet = request.fields["content-range"] == nil && !request.path.contains("?digest=")
        return isGet
          ? Self.state("200 OK", offset: 0) : Self.problem("409 Conflict", "upload_busy")
      }
      let error = await #expect(throws: PublishingError.self) {
        try await upload(to: server.port, patience: .milliseconds(1500))
      }
      #expect(error?.code == .uploadBusy)
    }
  }

  @Test func `a server that takes nothing of a long body ends the request`() async throws {
    let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelOption(.autoRead, value: false)
      .bind(host: "127.0.0.1", port: 0).get()
    let connection = try RepositoryConnection(
      server: "http://127.0.0.1:\(server.localAddress?.port ?? 0)", token: nil,
      certificateAuthorities: nil, stall: .milliseconds(500))
    let error = await #expect(throws: PublishingError.self) {
      try await connection.send(
        .PUT, "/v1/x", body: Data(count: 64 << 20), longest: .seconds(3600))
    }
    #expect(error?.code == .noAnswer)
    try await server.close()
  }

  @Test func `a long body is sent completely`() async throws {
    let body = Data(repeating: 7, count: 3 << 20)
    let count = Counter()
    let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            Collecting(expected: body.count, count: count))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let connection = try RepositoryConnection(
      server: "http://127.0.0.1:\(server.localAddress?.port ?? 0)", token: nil,
      certificateAuthorities: nil)
    let answer = try await connection.send(
      .PUT, "/v1/x", body: body, longest: .seconds(3600))
    #expect(answer.status == 200 && count.next() == 2)
    try await server.close()
  }
}

/// Responds when all bytes of a body have arrived.
private final class Collecting: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let expected: Int
  private let count: Counter
  private var received = ByteBuffer()

  init(expected: Int, count: Counter) { (self.expected, self.count) = (expected, count) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    received.writeImmutableBuffer(unwrapInboundIn(data))
    let view = received.readableBytesView
    guard let end = view.firstRange(of: Array("\r\n\r\n".utf8)),
      view[end.upperBound...].count == expected,
      view[end.upperBound...].allSatisfy({ $0 == 7 })
    else { return }
    let head = String(decoding: view[..<end.lowerBound], as: UTF8.self).lowercased()
    guard head.contains("content-length: \(expected)") else { return }
    _ = count.next()
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    context.channel.writeAndFlush(ByteBuffer(string: answer), promise: nil)
  }
}
#endif
