// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import ModelRepositoryAPI
import ModelRepositoryClient
import NIOCore
import NIOPosix
import TestSupport
import Testing
import WebClient

@Suite struct ConnectionFaultTests {
  /// Opens a port on this computer that accepts connections.
  private func listener() async throws -> (channel: any Channel, port: Int) {
    let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0).get()
    return (channel, try #require(channel.localAddress?.port))
  }

  private func fault(at server: String) async throws -> (message: String, time: Duration) {
    let publisher = try ModelRepositoryPublisher(server: server, token: "token")
    let clock = ContinuousClock()
    let start = clock.now
    let error = await #expect(throws: PublishingError.self) { _ = try await publisher.models() }
    return (error?.message ?? "", clock.now - start)
  }

  @Test func `a refused connection is reported at once`() async throws {
    // Nothing listens on port 1.
    var fastest = longestWait
    for _ in 0..<5 where fastest >= .seconds(ConnectionFault.connectSeconds) {
      let (message, time) = try await fault(at: "http://127.0.0.1:1")
      #expect(message.contains("'http://127.0.0.1:1' refused the connection"), "\(message)")
      fastest = min(fastest, time)
    }
    // A client that retried until the connection timeout would never be faster than it.
    #expect(fastest < .seconds(ConnectionFault.connectSeconds))
  }

  @Test func `a server without TLS is reported`() async throws {
    let (channel, port) = try await listener()
    let (message, _) = try await fault(at: "https://127.0.0.1:\(port)")
    #expect(!message.isEmpty && !message.contains("Error("), "\(message)")
    try await channel.close()
  }
}
#endif
