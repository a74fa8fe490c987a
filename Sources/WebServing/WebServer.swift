// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
package import Foundation
package import Hummingbird
import HummingbirdCore
import HummingbirdTLS
package import Logging
package import NIOCore
import NIOPosix
import NIOSSL
package import ServiceLifecycle
import UnixSignals

/// Sets up the servers of this package.
package enum WebServer {
  /// An error for a certificate or a key that can't be used, whose message says which one and why.
  package struct CertificateError: Error {
    package let message: String
  }

  /// Makes a server, whose `name` is the field `Server` of every response.
  ///
  /// A connection is closed if it is silent, or receives nothing, for the idle time. A server that
  /// only this machine's monitors use has no ``ConnectionLimits``. The handlers see a connection's
  /// requests before the server does, as NIOHTTP1 parses them. Once the server listens, `onStart`
  /// gets the address to show to people.
  package static func application(
    _ router: Router<some ConnectionContext>, name: String, address: (host: String, port: Int),
    certificate: (chain: String, key: String)?, idleTime: TimeAmount, connectionsPerAddress: Int?,
    handlers: @escaping @Sendable () -> [any RemovableChannelHandler] = { [] },
    logger: Logger, onStart: @escaping @Sendable (String) -> Void = { _ in }
  ) throws -> some ApplicationProtocol {
    let limits = connectionsPerAddress.map { ConnectionLimits(perAddress: $0, logger: logger) }
    // The limits admit fewer connections, because they close others to make room.
    let most = limits.map { $0.total + ConnectionLimits.spare } ?? 64
    return Application(
      router: router,
      server: try builder(certificate, idleTime) {
        // The limits' handler doesn't see requests that the handlers before it respond to
        // themselves.
        handlers() + (limits.map { [ConnectionLimitHandler($0)] } ?? [])
      },
      configuration: ApplicationConfiguration(
        address: .hostname(address.host, port: address.port), serverName: name,
        availableConnectionsDelegate: MaximumAvailableConnections(most)),
      onServerRunning: { channel in
        onStart(
          Self.address(
            host: address.host, port: channel.localAddress?.port ?? address.port,
            isEncrypted: certificate != nil))
      }, logger: logger)
  }

  private static func builder(
    _ certificate: (chain: String, key: String)?, _ idleTime: TimeAmount,
    handlers: @escaping @Sendable () -> [any RemovableChannelHandler]
  ) throws -> HTTPServerBuilder {
    let plain = HTTPServerBuilder.http1(
      configuration: HTTP1Channel.Configuration(
        additionalChannelHandlers: [WriteStallHandler(idleTime), PreCodecHandlers(handlers())],
        idleTimeout: idleTime))
    guard let certificate else { return plain }
    return try .tls(plain, tlsConfiguration: configuration(of: certificate))
  }

  /// Serves until the process receives SIGTERM or SIGINT, and then finishes the requests in
  /// progress.
  ///
  /// Responses that take longer than the shutdown time are cut off. A second signal cuts them off at
  /// once.
  ///
  /// All servers stop listening at once, so that none of them takes more requests while another one
  /// finishes its own.
  package static func run(
    _ applications: [any Service], shutdownTime: Duration, _ logger: Logger
  ) async throws {
    raiseFileLimit()
    var configuration = ServiceGroupConfiguration(
      services: [ServerGroup(servers: applications, shutdownTime: shutdownTime, logger: logger)],
      gracefulShutdownSignals: [.sigterm, .sigint],
      logger: logger)
    configuration.maximumGracefulShutdownDuration = shutdownTime
    do {
      try await ServiceGroup(configuration: configuration).run()
    } catch is CancellationError {
      // The time was up or the task was cancelled, so the server ended as it was told to.
    }
  }

  /// Raises the number of files and connections that the process may open to the allowed maximum.
  private static func raiseFileLimit() {
    #if canImport(Glibc)
    let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    let openFiles = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    guard getrlimit(openFiles, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(openFiles, &limit)
  }

  /// Returns an address to show to people, such as `http://127.0.0.1:8080/`.
  ///
  /// For a server that listens on all addresses, it is one that other machines can use.
  private static func address(host: String, port: Int, isEncrypted: Bool) -> String {
    let host = ["0.0.0.0", "::"].contains(host) ? reachableAddress : host
    let name = host.contains(":") ? "[\(host)]" : host
    return "\(isEncrypted ? "https" : "http")://\(name):\(port)/"
  }

  /// The first address of this machine that other machines can use.
  private static var reachableAddress: String {
    // If the system reports none, the loopback address is correct too.
    let addresses = ((try? System.enumerateDevices()) ?? []).compactMap(\.address)
    return addresses.first { address in
      guard case .v4 = address, let number = address.ipAddress else { return false }
      return !number.hasPrefix("127.")
    }?.ipAddress ?? "127.0.0.1"
  }

  /// Returns the folder of the files that a server's module ships.
  ///
  /// On Linux, this doesn't use SwiftPM's own lookup. That ends the process if the program was
  /// moved away from its files, or takes the files of the build that made it. Apple's systems have
  /// real bundles, so the lookup is used there.
  ///
  /// - Parameters:
  ///   - bundle: The name of the module's bundle, which is in the program's folder after a build.
  ///   - installed: The name of the folder in `share/tensorio` after `make install`.
  ///   - module: The module's bundle on Apple's systems.
  /// - Returns: The folder. If there is none, this is where it should be after a build.
  package static func assets(
    bundle: String, installed: String, module: @autoclosure () -> Bundle
  ) -> String {
    #if os(Linux)
    let program = Bundle.main.bundlePath
    let candidates = ["\(program)/\(bundle)/Assets", "\(program)/../share/tensorio/\(installed)"]
    return candidates.first { FileManager.default.fileExists(atPath: $0) } ?? candidates[0]
    #else
    return module().bundlePath + "/Assets"
    #endif
  }

  /// Returns why a server can't listen, and what helps; nil for an error with another reason.
  package static func listeningFault(_ error: any Error, on host: String) -> String? {
    switch error {
    case let error as IOError where error.errnoCode != EADDRNOTAVAIL:
      "\(String(cString: strerror(error.errnoCode))). Choose another --port."
    case is IOError, is SocketAddressError, is SocketAddressError.UnknownHost:
      "'\(host)' isn't an address of this machine or a name of one. Choose another --host."
    default: nil
    }
  }

  // MARK: - Certificates

  /// Checks that a certificate and its key can be used and belong together.
  package static func check(_ certificate: (chain: String, key: String)) throws {
    _ = try configuration(of: certificate)
  }

  private static func configuration(
    of certificate: (chain: String, key: String)
  ) throws(CertificateError) -> TLSConfiguration {
    for (path, what) in [
      (certificate.chain, "certificate"), (certificate.key, "certificate's key"),
    ] {
      guard FileManager.default.isReadableFile(atPath: path) else {
        let isThere = FileManager.default.fileExists(atPath: path)
        throw CertificateError(
          message: "The \(what) '\(path)' "
            + (isThere ? "can't be read. Check its permissions." : "doesn't exist. Check the path.")
        )
      }
    }
    guard let chain = try? NIOSSLCertificate.fromPEMFile(certificate.chain), !chain.isEmpty else {
      throw CertificateError(
        message:
          "'\(certificate.chain)' contains no PEM certificate, which begins with "
          + "'-----BEGIN CERTIFICATE-----'. Use a file that contains one.")
    }
    guard let key = try? NIOSSLPrivateKey(file: certificate.key, format: .pem) else {
      throw CertificateError(
        message:
          "'\(certificate.key)' contains no PEM private key that can be read. Use a file that "
          + "contains one without a passphrase.")
    }
    let configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    guard (try? NIOSSLContext(configuration: configuration)) != nil else {
      throw CertificateError(
        message:
          "The key '\(certificate.key)' doesn't belong to the certificate "
          + "'\(certificate.chain)'. Use the key that the certificate was created with.")
    }
    return configuration
  }
}

/// Servers that begin and end together.
private struct ServerGroup: Service {
  let servers: [any Service]
  let shutdownTime: Duration
  let logger: Logger

  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await runServers() }
      group.addTask { try await waitForSecondSignal() }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private func runServers() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for server in servers { group.addTask { try await server.run() } }
      // Without one of them, the others end, too.
      try await group.waitForAll()
    }
  }

  /// Throws `CancellationError` when a signal arrives after the one that began the shutdown.
  private func waitForSecondSignal() async throws {
    try await gracefulShutdown()
    let notice = Task {
      try await Task.sleep(for: .seconds(1))
      logger.warning(
        """
        Finishing the requests in progress, for \(shutdownTime.components.seconds) seconds at most. \
        Ctrl-C or SIGTERM ends them at once.
        """)
    }
    defer { notice.cancel() }
    for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint) { break }
    throw CancellationError()
  }
}

/// Runs tasks on the threads of the connections.
///
/// With Swift's own threads, every request would move from its connection's thread to another
/// thread and back. For small responses, this costs more than everything else. As with Swift's own
/// threads, tasks must not block these threads.
package final class ConnectionExecutor: TaskExecutor {
  /// The executor for the threads of all connections.
  package static let shared = ConnectionExecutor(MultiThreadedEventLoopGroup.singleton)

  private let group: any EventLoopGroup

  private init(_ group: any EventLoopGroup) { self.group = group }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // On one of these threads, `any` returns the current one.
    group.any().execute { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
#endif
