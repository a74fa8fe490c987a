// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird
import Logging
import Synchronization
import WebServing

/// Counts requests, and logs each one when its last byte was sent.
///
/// The log contains no query, no header field and no body, and therefore no secrets.
struct RequestLog: RouterMiddleware {
  let metrics: ServerMetrics

  func handle(
    _ request: Request, context: WebContext,
    next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    let start = ContinuousClock.now
    let method = RequestMetrics.name(ofMethod: request.method.rawValue)
    let (target, route) = (request.head.path ?? "", context.endpointPath ?? "none")
    let (logger, notes) = (context.logger, context.notes)
    metrics.requests.begin()
    @Sendable func end(status: Int, isWhole: Bool) {
      let duration = ContinuousClock.now - start
      metrics.requests.end(method: method, route: route, status: status, duration: duration)
      var metadata = Self.metadata(method, target, status, notes.sent, duration)
      if let token = notes.token { metadata["token"] = .string(token) }
      logger.info(isWhole ? "request" : "request aborted", metadata: metadata)
    }
    var response: Response
    do {
      response = try await next(request, context)
    } catch {
      end(status: 500, isWhole: false)
      throw error
    }
    let (status, body) = (response.status.code, response.body)
    guard body.contentLength != 0 else {
      end(status: status, isWhole: true)
      return response
    }
    // Replacing the body by one of the same length doesn't change the header fields.
    response.body = ResponseBody(contentLength: body.contentLength) { writer in
      do {
        try await body.write(CountingWriter(base: writer, notes: notes))
        end(status: status, isWhole: true)
      } catch {
        end(status: status, isWhole: false)
        throw error
      }
    }
    return response
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
final class RequestNotes: Sendable {
  private let tokenID = Mutex<String?>(nil)
  private let bytes = Atomic(0)

  var token: String? {
    get { tokenID.withLock { $0 } }
    set { tokenID.withLock { $0 = newValue } }
  }

  /// The number of bytes of the response's body that were sent.
  var sent: Int { bytes.load(ordering: .relaxed) }

  func addSent(_ count: Int) { bytes.add(count, ordering: .relaxed) }
}

/// The server's counters, in Prometheus' text format.
final class ServerMetrics: Sendable {
  let requests = RequestMetrics(prefix: "model_repository")
  private let blobBytes = Atomic(0)
  private let scrubbedBytes = Atomic(0)

  func sent(_ bytes: Int) { blobBytes.add(bytes, ordering: .relaxed) }

  func scrubbed(_ bytes: Int) { scrubbedBytes.add(bytes, ordering: .relaxed) }

  /// Returns the text that Prometheus reads, with the values that aren't counters.
  func text(_ gauges: [RequestMetrics.Series]) -> String {
    requests.text(
      [
        RequestMetrics.Series(
          "sent_blob_bytes_total", "Bytes of blobs that were sent.",
          blobBytes.load(ordering: .relaxed), .counter),
        RequestMetrics.Series(
          "scrubbed_blob_bytes_total", "Bytes of blobs that were read again to find damage.",
          scrubbedBytes.load(ordering: .relaxed), .counter),
      ] + gauges)
  }
}
#endif
