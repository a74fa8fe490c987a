// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
package import AsyncHTTPClient
package import NIOCore
import NIOHTTP1
import NIOPosix
package import NIOSSL

/// Sends requests to servers, within the limits of a policy.
///
/// Redirects, decompression and retries of the library below are turned off, because each caller
/// has its own rules for where a redirect may lead and for what may be sent again. Compressed
/// responses aren't requested, because one could be a decompression bomb.
package final class WebClient: Sendable {
  /// The limits of a client's connections.
  package struct Policy: Sendable {
    /// The time limit for making a connection.
    package var connect: Duration
    /// The time for which a server may send nothing.
    package var stall: Duration
    /// Whether ``stall`` also limits the time for which a server may receive nothing.
    package var limitsSending = false
    /// The maximum number of connections to one server.
    package var connections = 8
    /// The TLS configuration, or nil to trust the system's authorities.
    package var encryption: TLSConfiguration?
    /// The only IP address that is connected to for a host, whatever its name resolves to.
    ///
    /// The server's certificate must still match the host's name.
    package var only: (host: String, address: IPAddress)?
    /// The program's name in requests.
    package var userAgent = "TensorIO"

    package init(connect: Duration, stall: Duration, encryption: TLSConfiguration? = nil) {
      self.connect = connect
      self.stall = stall
      self.encryption = encryption
    }
  }

  package let policy: Policy
  private let client: HTTPClient

  /// Makes a client, whose connections close when it is released.
  package init(_ policy: Policy) {
    self.policy = policy
    var configuration = HTTPClient.Configuration()
    configuration.httpVersion = .http1Only
    configuration.redirectConfiguration = .disallow
    configuration.decompression = .disabled
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = policy.connections
    configuration.tlsConfiguration = policy.encryption
    configuration.timeout = .init(
      connect: TimeAmount(policy.connect), read: TimeAmount(policy.stall))
    if policy.limitsSending { configuration.timeout.write = TimeAmount(policy.stall) }
    if let (host, address) = policy.only {
      for name in [host, host.lowercased()] {
        configuration.dnsOverride[name] = address.description
      }
      configuration.http1_1ConnectionDebugInitializer = { channel in
        let text = channel.remoteAddress?.ipAddress
        guard let text, IPAddress(text) == address else {
          channel.close(promise: nil)
          return channel.eventLoop.makeFailedFuture(WrongComputer())
        }
        return channel.eventLoop.makeSucceededVoidFuture()
      }
    }
    client = HTTPClient(
      eventLoopGroup: .singletonMultiThreadedEventLoopGroup, configuration: configuration)
  }

  deinit { client.shutdown { [client] _ in _ = client } }

  /// A connection reached a different machine than the one whose address was checked.
  struct WrongComputer: Error {}

  /// Sends a request once, and doesn't follow redirects.
  ///
  /// The deadline also limits reading the response's body.
  ///
  /// - Throws: An error that ``ConnectionFault`` describes.
  package func send(
    _ request: HTTPClientRequest, deadline: NIODeadline = .distantFuture
  ) async throws -> HTTPClientResponse {
    var request = request
    request.headers.add(name: "accept-encoding", value: "identity")
    request.headers.add(name: "user-agent", value: policy.userAgent)
    return try await client.execute(request, deadline: deadline)
  }
}

extension HTTPClientResponse {
  /// Where the server redirects to, or nil if it doesn't.
  package var redirection: String? {
    guard [301, 302, 303, 307, 308].contains(status.code) else { return nil }
    return headers.first(name: "location")
  }

  /// The encoding of the body if it isn't the one that was requested.
  package var unrequestedEncoding: String? {
    let encoding = headers.first(name: "content-encoding")?.lowercased()
    return encoding == "identity" ? nil : encoding
  }

  /// The time that the server asks to wait before a retry.
  package var retryAfter: Duration? {
    headers.first(name: "retry-after").flatMap { Int($0) }.map { .seconds(max(0, $0)) }
  }
}
#endif
