// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import GRPCCore
import GRPCNIOTransportHTTP2Posix
package import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization
package import WebServing

/// Tells calls that the server shuts down.
final class Shutdown: Sendable {
  private let flag = Atomic(false)

  var hasBegun: Bool { flag.load(ordering: .sequentiallyConsistent) }

  func begin() { flag.store(true, ordering: .sequentiallyConsistent) }
}

/// Serves the Open Inference Protocol, health checks and reflection over gRPC.
package struct InferenceServer: Service {
  /// The settings of the server.
  package struct Configuration: Sendable {
    package var host: String
    /// The port, or 0 to choose a free one.
    package var port: Int
    package var certificate: (chain: String, key: String)?
    /// The maximum size of a message in bytes, which is refused before it is read.
    package var maximumMessageBytes: Int
    package var connectionsPerAddress: Int

    package init(
      host: String, port: Int, certificate: (chain: String, key: String)?,
      maximumMessageBytes: Int, connectionsPerAddress: Int
    ) {
      (self.host, self.port, self.certificate) = (host, port, certificate)
      self.maximumMessageBytes = maximumMessageBytes
      self.connectionsPerAddress = connectionsPerAddress
    }
  }

  private let configuration: Configuration
  private let handler: any InferenceHandler
  private let metrics: RequestMetrics
  private let logger: Logger
  private let onStart: @Sendable (String) -> Void

  /// How much of a message is sent at once, and before the server asks for more.
  ///
  /// With HTTP/2's defaults, an image would arrive in frames of 16 KiB, and the client would wait
  /// after every 64 KiB.
  private static let (frame, window) = (256 << 10, 1 << 20)
  /// How many calls one connection may have at a time.
  private static let callsPerConnection = 256

  /// - Parameters:
  ///   - configuration: Where to listen, and the limits.
  ///   - handler: Handles the calls.
  ///   - metrics: Counts the calls.
  ///   - logger: Gets a line for every call.
  ///   - onStart: Gets the server's address, `127.0.0.1:8081`, once it listens.
  package init(
    _ configuration: Configuration, handler: any InferenceHandler, metrics: RequestMetrics,
    logger: Logger, onStart: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.configuration = configuration
    self.handler = handler
    self.metrics = metrics
    self.logger = logger
    self.onStart = onStart
  }

  /// Serves until the service group shuts down.
  ///
  /// - Throws: `IOError` if the address is in use, and `WebServer.CertificateError`.
  package func run() async throws {
    if let certificate = configuration.certificate { try WebServer.check(certificate) }
    let connections = CallConnections(
      ConnectionLimits(perAddress: configuration.connectionsPerAddress, logger: logger))
    let transport = HTTP2ServerTransport.Posix(
      address: try address(), transportSecurity: security, config: limits(connections))
    let shutdown = Shutdown()
    let server = GRPCServer(
      transport: transport,
      services: [
        InferenceService(handler: handler, shutdown: shutdown),
        HealthService(handler: handler, connections: connections), ReflectionService(),
      ],
      interceptors: [CallInterceptor(handler: handler, metrics: metrics, logger: logger)])
    do {
      try await withGracefulShutdownHandler {
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { try await server.serve() }
          // If the server can't listen, `serve` throws the reason.
          if let address = try? await transport.listeningAddress { onStart(Self.text(address)) }
          try await group.waitForAll()
        }
      } onGracefulShutdown: {
        shutdown.begin()
        server.beginGracefulShutdown()
      }
    } catch let error as RuntimeError {
      throw error.cause ?? error
    }
  }

  /// Resolves the host's name, because the transport takes only addresses.
  private func address() throws -> GRPCNIOTransportHTTP2Posix.SocketAddress {
    let address = try NIOCore.SocketAddress.makeAddressResolvingHost(
      configuration.host, port: configuration.port)
    let host = address.ipAddress ?? configuration.host
    return switch address {
    case .v6: .ipv6(host: host, port: configuration.port)
    default: .ipv4(host: host, port: configuration.port)
    }
  }

  private static func text(_ address: GRPCNIOTransportHTTP2Posix.SocketAddress) -> String {
    if let address = address.ipv6 { return "[\(address.host)]:\(address.port)" }
    return address.ipv4.map { "\($0.host):\($0.port)" } ?? "\(address)"
  }

  private var security: HTTP2ServerTransport.Posix.TransportSecurity {
    guard let (chain, key) = configuration.certificate else { return .plaintext }
    return .tls(
      certificateChain: [.file(path: chain, format: .pem)],
      privateKey: .file(path: key, format: .pem))
  }

  private func limits(_ connections: CallConnections) -> HTTP2ServerTransport.Posix.Config {
    .defaults {
      $0.rpc.maxRequestPayloadSize = configuration.maximumMessageBytes
      $0.http2.maxFrameSize = Self.frame
      $0.http2.targetWindowSize = Self.window
      $0.http2.maxConcurrentStreams = Self.callsPerConnection
      // Clients that keep an idle connection open with pings are common.
      $0.connection.keepalive.clientBehavior.allowWithoutCalls = true
      $0.connection.keepalive.clientBehavior.minPingIntervalWithoutCalls = .seconds(10)
      $0.compression.enabledAlgorithms = .none
      $0.channelDebuggingCallbacks.onAcceptTCPConnection = connections.open
      $0.channelDebuggingCallbacks.onAcceptHTTP2Stream = connections.begin
    }
  }
}
#endif
