// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
package import Hummingbird
package import Logging
import NIOCore
import Synchronization

/// Counts requests, and logs each one when its last byte was sent.
///
/// The log contains no query, no header field and no body, and therefore no secrets.
package struct RequestLog<Context: ConnectionContext>: RouterMiddleware {
  private let metrics: RequestMetrics

  package init(metrics: RequestMetrics) { self.metrics = metrics }

  package func handle(
    _ request: Request, context: Context,
    next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    let entry = Entry(
      metrics, context.logger, context.notes,
      method: RequestMetrics.name(ofMethod: request.method.rawValue),
      target: request.head.path ?? "", route: context.endpointPath ?? "none")
    var response = try await next(request, context)
    let (status, body) = (response.status.code, response.body)
    guard body.contentLength != 0 else {
      entry.end(status: status, isWhole: true)
      return response
    }
    entry.begin(status: status)
    // Replacing the body by one of the same length doesn't change the header fields.
    response.body = ResponseBody(contentLength: body.contentLength) { writer in
      do {
        try await body.write(CountingWriter(base: writer, notes: entry.notes))
        entry.end(status: status, isWhole: true)
      } catch {
        entry.end(status: status, isWhole: false)
        throw error
      }
    }
    return response
  }
}

/// A request that is counted and logged once, when it ends.
///
/// The server drops the response of a request whose client is gone, which ends the request, too.
private final class Entry: Sendable {
  let notes: RequestNotes
  private let metrics: RequestMetrics
  private let logger: Logger
  private let method: String
  private let target: String
  private let route: String
  private let start = ContinuousClock.now
  /// The response's status; 500 until there is a response.
  private let status = Atomic(500)
  private let hasEnded = Atomic(false)

  init(
    _ metrics: RequestMetrics, _ logger: Logger, _ notes: RequestNotes, method: String,
    target: String, route: String
  ) {
    (self.metrics, self.logger, self.notes) = (metrics, logger, notes)
    (self.method, self.target, self.route) = (method, target, route)
    metrics.begin()
  }

  deinit { end(status: status.load(ordering: .relaxed), isWhole: false) }

  /// Notes that there is a response, which hasn't been sent.
  func begin(status: Int) { self.status.store(status, ordering: .relaxed) }

  func end(status code: Int, isWhole: Bool) {
    guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
    let duration = ContinuousClock.now - start
    let status = String(code)
    metrics.end(method: method, route: route, status: status, duration: duration)
    var metadata = RequestNotes.metadata(
      method: method, target: target, status: status, bytes: notes.sent, duration)
    if let token = notes.token { metadata["token"] = .string(token) }
    logger.info(isWhole ? "request" : "request aborted", metadata: metadata)
  }
}

private struct CountingWriter: ResponseBodyWriter {
  var base: any ResponseBodyWriter
  let notes: RequestNotes

  mutating func write(_ buffer: ByteBuffer) async throws {
    try await base.write(buffer)
    notes.addSent(buffer.readableBytes)
  }

  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
    try await base.finish(trailingHeaders)
  }
}

/// The facts that the log reports about a request, known only after it was handled.
package final class RequestNotes: Sendable {
  private let tokenID = Mutex<String?>(nil)
  private let bytes = Atomic(0)

  package init() {}

  /// The identifier of the request's token, which isn't a secret.
  package var token: String? {
    get { tokenID.withLock { $0 } }
    set { tokenID.withLock { $0 = newValue } }
  }

  /// The number of bytes of the response's body that were sent.
  package var sent: Int { bytes.load(ordering: .relaxed) }

  package func addSent(_ count: Int) { bytes.add(count, ordering: .relaxed) }

  /// Returns what the log reports about every request.
  ///
  /// - Parameters:
  ///   - method: The method's name.
  ///   - target: The path, whose query is left out.
  ///   - status: The response's status.
  ///   - bytes: The number of bytes of the response's body, or nil if it isn't known.
  ///   - duration: The time from the request's head to the response's last byte.
  /// - Returns: The fields of a line of the log.
  package static func metadata(
    method: String, target: String, status: String, bytes: Int?, _ duration: Duration
  ) -> Logger.Metadata {
    let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }.prefix(300)
    var fields: Logger.Metadata = [
      "method": .string(method), "path": .string(String(decoding: path, as: UTF8.self)),
      "status": .string(status),
      "milliseconds": .string("\((duration.inSeconds * 1e5).rounded() / 100)"),
    ]
    if let bytes { fields["bytes"] = .string(String(bytes)) }
    return fields
  }
}
#endif
