// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird
import WebServing

/// Counts requests and measures how long they take.
struct CountingMiddleware: RouterMiddleware {
  let metrics: RequestMetrics

  func handle(
    _ request: Request, context: WebContext,
    next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    let start = ContinuousClock.now
    metrics.begin()
    var status = 500
    defer {
      metrics.end(
        method: request.method.rawValue, route: context.endpointPath ?? "page", status: status,
        duration: .now - start)
    }
    let response = try await next(request, context)
    status = response.status.code
    return response
  }
}
#endif
