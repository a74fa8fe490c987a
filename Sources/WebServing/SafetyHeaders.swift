// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
package import HTTPTypes
package import Hummingbird

/// Adds header fields to all responses that restrict what browsers do with them.
package struct SafetyHeaders<Context: RequestContext>: RouterMiddleware {
  private let fields: HTTPFields

  package init(_ fields: HTTPFields) { self.fields = fields }

  package func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    for field in fields { response.headers[field.name] = field.value }
    return response
  }
}
#endif
