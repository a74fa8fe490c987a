// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import TensorIO
import WebServing

/// Turns errors from routes into responses that programs and people understand.
struct ErrorMiddleware: RouterMiddleware {
  typealias Context = WebContext

  /// The methods that each path supports.
  let routes: RouteTable

  func handle(
    _ request: Request, context: WebContext,
    next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch {
      let error = webError(for: error, request, context)
      if error.endsConnection { RequestRules.close(context.channel) }
      // In the Open Inference Protocol, an error is a plain string.
      let isPlain = request.uri.path.hasPrefix("/v2")
      let body = isPlain ? .object(["error": .string(error.message)]) : error.json
      return try .json(body, status: error.status, headers: error.headers)
    }
  }

  private func webError(
    for error: any Error, _ request: Request, _ context: WebContext
  ) -> WebError {
    switch error {
    case let error as WebError: return error
    case let error as TensorIOError: return WebError(error)
    case let error as any HTTPResponseError where error.status == .notFound:
      if let methods = routes.methods(of: request.uri.path) {
        return WebError.wrongMethod(request, allowed: methods)
      }
      return WebError(
        status: .notFound, code: "not_found",
        message: "There is nothing at '\(request.uri.path.prefix(100))'.")
    case let error as any HTTPResponseError:
      return WebError(
        status: error.status, code: "bad_request",
        message: "The request is invalid: \(error.status.reasonPhrase).")
    case is CancellationError: return .tooBusy
    default:
      context.logger.error("a request failed: \(error)")
      return WebError(
        status: .internalServerError, code: "internal_error",
        message: "The server failed to respond. Its log contains the reason.")
    }
  }
}

extension WebError {
  /// An error for a method that a path doesn't support.
  static func wrongMethod(_ request: Request, allowed methods: String) -> WebError {
    WebError(
      status: .methodNotAllowed, code: "method_not_allowed",
      message: "'\(request.uri.path.prefix(100))' doesn't support "
        + "\(request.method.rawValue.prefix(40)). It supports \(methods).",
      headers: [.allow: methods], endsConnection: true)
  }
}
#endif
