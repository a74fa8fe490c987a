// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
package import HTTPTypes
package import Hummingbird
package import NIOCore

/// The server's data about a request, in addition to the request itself.
package protocol ConnectionContext: RequestContext
where Source == ApplicationRequestContextSource {
  /// The connection, which is closed if its client would go on sending a rejected body.
  var channel: any Channel { get }
}

/// A middleware that only prepares requests, or rejects them.
package protocol RequestFilter: RouterMiddleware {
  /// Prepares a request for the next middleware, or throws.
  func prepare(_ request: inout Request, _ context: inout Context) async throws
}

extension RequestFilter {
  package func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    var (request, context) = (request, context)
    try await prepare(&request, &context)
    return try await next(request, context)
  }
}

/// An error that a client gets as a response.
package protocol RequestFailure: Error {
  /// - Parameters:
  ///   - status: The response's status.
  ///   - code: A code that lets programs tell errors apart, which never changes.
  ///   - message: A sentence for people that says what happened and how to fix it.
  ///   - headers: Additional header fields of the response.
  ///   - endsConnection: Whether to close the connection because the client may still be sending
  ///     the rejected body.
  init(
    status: HTTPResponse.Status, code: String, message: String, headers: HTTPFields,
    endsConnection: Bool)

  /// Whether to close the connection after the response.
  func endsConnection(after request: Request) -> Bool

  /// Makes the response.
  func response(to request: Request) throws -> Response
}

extension RequestFailure {
  /// Makes a failure for a request that the router rejected.
  package init(_ error: any HTTPResponseError, _ request: Request) {
    let isUnknown = error.status == .notFound
    self.init(
      status: error.status, code: isUnknown ? "not_found" : "bad_request",
      message: isUnknown
        ? "There is nothing at '\(request.uri.path.prefix(100))'."
        : "The request is invalid: \(error.status.reasonPhrase).",
      headers: [:], endsConnection: false)
  }
}

/// Checks every request, turns errors into responses that programs and people understand, and adds
/// the header fields that all responses have.
package struct RequestMiddleware<Context: ConnectionContext, Failure: RequestFailure>:
  RouterMiddleware
{
  private let headers: HTTPFields
  private let check: @Sendable (Request) throws -> Void
  private let convert: @Sendable (any Error, Request, Context) -> Failure

  /// - Parameters:
  ///   - headers: The header fields, which restrict what browsers do with responses.
  ///   - check: Throws if the server rejects a request that ``RequestRules`` allow.
  ///   - convert: Converts the errors of routes, except those that are a `Failure` already.
  package init(
    headers: HTTPFields = [:], check: @escaping @Sendable (Request) throws -> Void,
    convert: @escaping @Sendable (any Error, Request, Context) -> Failure
  ) {
    self.headers = headers
    self.check = check
    self.convert = convert
  }

  package func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response: Response
    do {
      try RequestRules.check(request)
      try check(request)
      response = try await next(request, context)
    } catch {
      let failure = failure(for: error, request, context)
      if failure.endsConnection(after: request) { RequestRules.close(context.channel) }
      response = try failure.response(to: request)
    }
    for field in headers { response.headers[field.name] = field.value }
    return response
  }

  private func failure(for error: any Error, _ request: Request, _ context: Context) -> Failure {
    switch error {
    case let error as Failure: error
    case let error as RequestRules.Fault:
      Failure(
        status: error.status, code: "bad_request", message: error.message, headers: [:],
        endsConnection: true)
    default: convert(error, request, context)
    }
  }
}
#endif
