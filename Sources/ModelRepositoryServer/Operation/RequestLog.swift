// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird
import Logging
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
#endif
