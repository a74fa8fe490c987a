// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import Logging
import WebServing

/// A request as the metrics and the log report it.
///
/// The log contains no query, no header field and no body, and therefore no secrets.
struct RequestRecord: Sendable {
  private let method: String
  private let target: String
  private let route: String
  private let logger: Logger
  private let metrics: ServerMetrics
  private let notes: RequestNotes
  private let start = ContinuousClock.now

  /// Records that a request began.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - route: The route's pattern.
  ///   - logger: The logger for the request's line.
  ///   - metrics: The metrics that count the request.
  ///   - notes: The facts about the request that are found out later.
  init(
    _ request: HTTPRequest, route: String, _ logger: Logger, _ metrics: ServerMetrics,
    _ notes: RequestNotes
  ) {
    method = RequestMetrics.name(ofMethod: request.method.rawValue)
    target = request.path ?? ""
    self.route = route
    self.logger = logger
    self.metrics = metrics
    self.notes = notes
    metrics.requests.begin()
  }

  /// Records that the last byte was sent, or that it will never be sent.
  ///
  /// - Parameters:
  ///   - status: The status of the response.
  ///   - bytes: The number of bytes of its body that were sent.
  ///   - isWhole: Whether the whole body was sent.
  func end(status: Int, bytes: Int, isWhole: Bool) {
    let duration = ContinuousClock.now - start
    metrics.requests.end(method: method, route: route, status: status, duration: duration)
    var metadata = Self.metadata(method, target, status, bytes, duration)
    if let token = notes.token { metadata["token"] = .string(token) }
    logger.info(isWhole ? "request" : "request aborted", metadata: metadata)
  }

  /// Returns what the log reports about every request.
  static func metadata(
    _ method: String, _ target: String, _ status: Int, _ bytes: Int, _ duration: Duration
  ) -> Logger.Metadata {
    let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }.prefix(300)
    return [
      "method": .string(method), "path": .string(String(decoding: path, as: UTF8.self)),
      "status": .string(String(status)), "bytes": .string(String(bytes)),
      "milliseconds": .string("\((duration.inSeconds * 1e5).rounded() / 100)"),
    ]
  }
}
#endif
