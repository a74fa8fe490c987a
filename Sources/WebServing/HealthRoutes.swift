// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
package import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
package import ServiceLifecycle
import Synchronization

/// Reports whether a server can do its work.
package final class Readiness: Sendable {
  private let find: @Sendable () async throws -> String?
  /// The last result, which is reused for a second because anybody may ask.
  private let last = Mutex<(time: ContinuousClock.Instant, reason: String?)?>(nil)
  private let lock = AsyncLock()

  /// - Parameter find: Returns the reason why the server can't work, or nil if it can.
  package init(_ find: @escaping @Sendable () async throws -> String?) { self.find = find }

  /// Returns the reason why the server can't work, or nil if it can.
  ///
  /// If several callers ask at once, only one of them runs the check.
  package func reason() async throws -> String? {
    try await lock.withLock {
      if let last = last.withLock({ $0 }), .now - last.time < .seconds(1) { return last.reason }
      let reason = try await find()
      last.withLock { $0 = (.now, reason) }
      return reason
    }
  }
}

/// The routes that monitors use to check a server's health: `/healthz` and `/readyz`.
package struct HealthRoutes<Failure: RequestFailure>: Sendable {
  private let readiness: Readiness

  /// - Parameters:
  ///   - readiness: What `/readyz` reports.
  ///   - failure: The type of the server's errors.
  package init(_ readiness: Readiness, failure: Failure.Type) { self.readiness = readiness }

  package func add(to router: some RouterMethods<some ConnectionContext>) {
    router.get("healthz") { _, _ in Self.plain("ok\n") }
    router.get("readyz") { _, _ in
      try await requireReady()
      return Self.plain("ready\n")
    }
  }

  /// Throws a failure with the status 503 and the reason if the server can't work.
  package func requireReady() async throws {
    guard let reason = try await readiness.reason() else { return }
    throw Failure(
      status: .serviceUnavailable, code: "not_ready", message: reason,
      headers: [.retryAfter: "10"], endsConnection: false)
  }

  private static func plain(_ text: String) -> Response {
    .data(text.utf8, type: "text/plain; charset=utf-8", headers: [.cacheControl: "no-store"])
  }
}

extension WebServer {
  /// Makes a server for monitors, without TLS, whose connections clients can't use up.
  package static func healthService(
    _ router: Router<some ConnectionContext>, name: String, address: (host: String, port: Int),
    logger: Logger
  ) throws -> any Service {
    try application(
      router, name: name, address: address, certificate: nil, idleTime: .seconds(10),
      connectionsPerAddress: nil, logger: logger)
  }
}
#endif
