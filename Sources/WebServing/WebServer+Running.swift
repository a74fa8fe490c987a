// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import CSystemCalls
package import Logging
package import ServiceLifecycle
import UnixSignals

extension WebServer {
  /// Serves until the process receives SIGTERM or SIGINT, and then finishes the requests in
  /// progress.
  ///
  /// - Parameters:
  ///   - applications: The servers.
  ///   - shutdownTime: How long the last responses may take. Those that take longer are cut off.
  ///   - logger: Receives the errors.
  /// - Throws: The server's error, such as for an address that is in use.
  package static func run(
    _ applications: [any Service], shutdownTime: Duration, _ logger: Logger
  ) async throws {
    raiseFileLimit()
    var configuration = ServiceGroupConfiguration(
      services: applications, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    configuration.maximumGracefulShutdownDuration = shutdownTime
    do {
      try await ServiceGroup(configuration: configuration).run()
    } catch is CancellationError {
      // The time was up or the task was cancelled, so the server ended as it was told to.
    }
  }

  /// Raises the number of files and connections that the process may open to the allowed maximum.
  private static func raiseFileLimit() {
    var limit = rlimit()
    guard getrlimit(openFiles, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(openFiles, &limit)
  }
}

#if canImport(Glibc)
private let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#else
private let openFiles = RLIMIT_NOFILE
#endif
#endif
