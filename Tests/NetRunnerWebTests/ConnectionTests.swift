// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HummingbirdTesting
import NIOCore
import NIOPosix
import Testing

@testable import NetRunnerWeb

/// Tests responses to bytes that no client library sends.
@Suite struct ConnectionTests {
  /// Sends texts over a connection, with a pause before each.
  ///
  /// Reads until the connection is closed or the response is complete.
  private static func exchange(
    _ fixture: WebFixture, _ texts: [String], pause: Duration = .zero,
    until isWhole: @escaping @Sendable (String) -> Bool = { $0.contains("\r\n\r\n") }
  ) async throws -> String {
    try await fixture.test(.live) { client in
      let port = try #require(client.port)
      let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connect(host: "127.0.0.1", port: port) { channel in
          channel.eventLoop.makeCompletedFuture {
            try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
          }
        }
      return try await channel.executeThenClose { inbound, outbound in
        async let sent: Void = {
          for text in texts {
            try await Task.sleep(for: pause)
            // The server may have closed the connection after its response.
            try? await outbound.write(ByteBuffer(string: text))
          }
        }()
        var answer = ""
        for try await part in inbound {
          answer += String(buffer: part)
          if isWhole(answer) { break }
        }
        try await sent
        return answer
      }
    }
  }

  @Test(arguments: [
    "", "Host: localhost\r\nHost: localhost\r\n", "Host: localhost\r\nhost: evil.example\r\n",
    "Host: localhost, evil.example\r\n",
  ])
  func `a request needs exactly one host`(_ fields: String) async throws {
    let answer = try await Self.exchange(
      WebFixture(), ["GET /api/v1/server HTTP/1.1\r\n\(fields)\r\n"])
    #expect(answer.hasPrefix("HTTP/1.1 400"), "\(answer)")
  }

  @Test func `a body that has to be decoded first is refused`() async throws {
    let head = "POST /v2/models/digits/infer HTTP/1.1\r\nHost: localhost\r\n"
    let answer = try await Self.exchange(
      WebFixture(), [head + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n"],
      until: { $0.contains("}") })
    #expect(answer.hasPrefix("HTTP/1.1 415"), "\(answer)")
    #expect(answer.contains("'Content-Encoding' 'gzip'"), "\(answer)")
  }

  @Test func `a client that expects 100-continue gets it unless its body is too large`()
    async throws
  {
    let fixture = try WebFixture()
    let head =
      "POST /api/v1/models/digits/infer HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
    let image = try WebFixture.image()
    let answer = try await Self.exchange(
      fixture, [head + "Content-Length: \(image.count)\r\n\r\n"])
    #expect(answer == "HTTP/1.1 100 Continue\r\n\r\n")
    let refused = try await Self.exchange(fixture, [head + "Content-Length: 999999999\r\n\r\n"])
    #expect(refused.hasPrefix("HTTP/1.1 413"), "\(refused)")
    // This length doesn't fit into a signed integer.
    let endless = try await Self.exchange(
      fixture, [head + "Content-Length: 10000000000000000000\r\n\r\n"])
    #expect(endless.hasPrefix("HTTP/1.1 4"), "\(endless)")
  }

  @Test func `a body that arrives too slowly is cut off`() async throws {
    let fixture = try WebFixture()
    fixture.options.minimumBodyRate = MinimumRate(rate: 1024, patience: .milliseconds(300))
    let head =
      "POST /api/v1/models/digits/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\n"
    let answer = try await Self.exchange(
      fixture, [head] + Array(repeating: "x", count: 12), pause: .milliseconds(100))
    #expect(answer.hasPrefix("HTTP/1.1 408"), "\(answer)")
  }

  /// A client that isn't told would lose the response to its next request.
  @Test(arguments: [
    "PUT /api/v1/server HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx",
    "GET /api/v1/server HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "POST /api/v1/models/digits/infer HTTP/1.1\r\nHost: localhost\r\n"
      + "Content-Length: 999999999\r\n\r\n",
  ])
  func `a response after which the connection is closed says so`(_ request: String) async throws {
    let answer = try await Self.exchange(WebFixture(), [request])
    #expect(answer.hasPrefix("HTTP/1.1 4"), "\(answer)")
    #expect(answer.lowercased().contains("\r\nconnection: close\r\n"), "\(answer)")
  }

  @Test func `a connection is kept after a wrong method without a body`() async throws {
    let requests = ["PUT", "GET"].map { "\($0) /api/v1/server HTTP/1.1\r\nHost: localhost\r\n\r\n" }
    // The second request is sent when a connection that is to be closed is closed.
    let answer = try await Self.exchange(WebFixture(), requests, pause: .milliseconds(1200)) {
      $0.contains("HTTP/1.1 200 OK")
    }
    #expect(answer.hasPrefix("HTTP/1.1 405"), "\(answer)")
    #expect(!answer.lowercased().contains("connection: close"), "\(answer)")
    #expect(answer.contains("HTTP/1.1 200 OK"), "\(answer)")
  }
}
#endif
