// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import Hummingbird

/// Adds header fields that restrict what browsers do with responses.
///
/// A response can't load anything from another site, and can't be embedded in another page.
struct SafetyHeaders: RouterMiddleware {
  typealias Context = WebContext

  func handle(
    _ request: Request, context: WebContext,
    next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    for (name, value) in Self.fields { response.headers[name] = value }
    return response
  }

  private static let fields: [(HTTPField.Name, String)] = [
    (.xContentTypeOptions, "nosniff"),
    (.crossOriginResourcePolicy, "same-origin"),
    (
      .contentSecurityPolicy,
      "default-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; "
        + "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
  ]
}
#endif
