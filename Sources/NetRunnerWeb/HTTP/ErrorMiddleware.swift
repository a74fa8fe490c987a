// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import TensorIO

/// Turns what routes throw into answers that programs and persons understand.
struct ErrorMiddleware: RouterMiddleware {
  typealias Context = WebContext

  func handle(
    _ request: Request, context: WebContext,
    next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch {
      let error = Self.webError(for: error, request, context)
      if error.endsConnection { Self.close(context.channel) }
      // The Open Inference Protocol's errors are a text.
      let isPlain = request.uri.path.hasPrefix("/v2")
      let body = isPlain ? .object(["error": .string(error.message)]) : error.json
      return try .json(body, status: error.status, headers: error.headers)
    }
  }

  private static func webError(
    for error: any Error, _ request: Request, _ context: WebContext
  ) -> WebError {
    switch error {
    case let error as WebError: return error
    case let error as TensorIOError: return WebError(error)
    case let error as any HTTPResponseError:
      let isUnknown = error.status == .notFound
      return WebError(
        status: error.status, code: isUnknown ? "not_found" : "bad_request",
        message: isUnknown
          ? "There is nothing at '\(request.uri.path.prefix(100))'."
          : "The request is wrong: \(error.status.reasonPhrase).")
    case is CancellationError: return .tooBusy
    default:
      context.logger.error("a request failed: \(error)")
      return WebError(
        status: .internalServerError, code: "internal_error",
        message: "A fault of the server; its log tells more.")
    }
  }

  /// Closes a connection when the answer has had time to arrive.
  ///
  /// Else the rest of what was refused would be read to its end, however long it is.
  private static func close(_ channel: any Channel) {
    channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
  }
}
