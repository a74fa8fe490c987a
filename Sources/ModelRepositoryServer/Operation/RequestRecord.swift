// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Logging
import Synchronization
import WebServing

/// One request, as the metrics and the log tell of it.
///
/// The log's line has no query, no header field and no body: nothing that is secret.
final class RequestRecord: Sendable {
  private let method: String
  private let path: String
  private let route: String
  private let logger: Logger
  private let metrics: ServerMetrics
  private let notes: RequestNotes?
  private let start = ContinuousClock.now
  private let bytes = Mutex(0)

  /// Notes that a request began.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - route: The route's pattern.
  ///   - logger: Gets the line.
  ///   - metrics: Count it.
  ///   - notes: What is found out about it later.
  init(
    _ request: HTTPRequest, route: String, _ logger: Logger, _ metrics: ServerMetrics,
    _ notes: RequestNotes? = nil
  ) {
    method = RequestMetrics.name(ofMethod: request.method.rawValue)
    path = String((request.path ?? "").prefix { $0 != "?" }.prefix(300))
    self.route = route
    self.logger = logger
    self.metrics = metrics
    self.notes = notes
    metrics.requests.begin()
  }

  /// Notes that bytes of the answer's body were sent.
  func sent(_ count: Int) { bytes.withLock { $0 += count } }

  /// Notes that the last byte was sent, or that it never will be.
  func end(status: Int, isWhole: Bool) {
    let duration = ContinuousClock.now - start
    metrics.requests.end(method: method, route: route, status: status, duration: duration)
    var metadata: Logger.Metadata = [
      "method": "\(method)", "path": "\(path)", "status": "\(status)",
      "bytes": "\(bytes.withLock { $0 })",
      "milliseconds": "\((duration / .milliseconds(1) * 100).rounded() / 100)",
    ]
    if let token = notes?.token { metadata["token"] = "\(token)" }
    logger.info(isWhole ? "request" : "request broken off", metadata: metadata)
  }
}
