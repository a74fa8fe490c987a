// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Hummingbird

/// Counts requests and their times.
struct CountingMiddleware: RouterMiddleware {
  typealias Context = WebContext

  let metrics: ServerMetrics

  func handle(
    _ request: Request, context: WebContext,
    next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    let clock = ContinuousClock()
    let start = clock.now
    metrics.begin()
    var status = 500
    defer {
      metrics.end(
        method: Self.method(of: request), route: context.endpointPath ?? "page", status: status,
        duration: clock.now - start)
    }
    let response = try await next(request, context)
    status = response.status.code
    return response
  }

  /// The method, where it is one that there is: clients must not make up series.
  private static func method(of request: Request) -> String {
    let name = request.method.rawValue
    return ["GET", "HEAD", "POST", "PUT", "DELETE"].contains(name) ? name : "other"
  }
}
