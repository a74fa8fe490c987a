// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import Hummingbird
import Logging
import ModelRepositoryAPI
import NIOCore
import WebServing

/// Counts requests, and logs each one when its last byte was sent.
///
/// The log contains no query, no header field and no body, and therefore no secrets.
struct RequestMiddleware: RouterMiddleware {
  typealias Context = WebContext

  let metrics: ServerMetrics

  func handle(
    _ request: Request, context: WebContext,
    next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    let record = RequestRecord(
      request.head, route: context.endpointPath ?? "none", context.logger, metrics, context.notes)
    var response: Response
    do {
      response = try await next(request, context)
    } catch {
      record.end(status: 500, bytes: 0, isWhole: false)
      throw error
    }
    let (status, body) = (response.status.code, response.body)
    guard body.contentLength != 0 else {
      record.end(status: status, bytes: 0, isWhole: true)
      return response
    }
    // Replacing the body by one of the same length doesn't change the header fields.
    let notes = context.notes
    response.body = ResponseBody(contentLength: body.contentLength) { writer in
      do {
        try await body.write(CountingWriter(base: writer, notes: notes))
        record.end(status: status, bytes: notes.sent, isWhole: true)
      } catch {
        record.end(status: status, bytes: notes.sent, isWhole: false)
        throw error
      }
    }
    return response
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
