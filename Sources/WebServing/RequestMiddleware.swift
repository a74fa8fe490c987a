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
  /// The facts for the request log that are known only after the request was handled.
  var notes: RequestNotes { get }
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

  /// Whether to close the connection after the response, which then says so.
  func endsConnection(after request: Request) -> Bool

  /// Makes the response.
  func response(to request: Request) throws -> Response
}

extension RequestFailure {
  /// Makes a failure for a request that the router rejected.
  package init(_ error: any HTTPResponseError, _ request: Request, _ routes: RouteTable) {
    let isUnknown = error.status == .notFound
    if isUnknown, let methods = routes.methods(of: request.uri.path) {
      self.init(wrongMethodOf: request, allowed: methods)
      return
    }
    self.init(
      status: error.status, code: isUnknown ? "not_found" : "bad_request",
      message: isUnknown
        ? "There is nothing at '\(request.uri.path.prefix(100))'."
        : "The request is invalid: \(error.status.reasonPhrase).",
      headers: [:], endsConnection: false)
  }

  /// Makes a failure for a path that exists, but doesn't support the request's method.
  package init(wrongMethodOf request: Request, allowed methods: String) {
    self.init(
      status: .methodNotAllowed, code: "method_not_allowed",
      message: "'\(request.uri.path.prefix(100))' doesn't support "
        + "\(request.method.rawValue.prefix(40)). It supports \(methods).",
      headers: [.allow: methods], endsConnection: request.hasBody)
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
      if let (status, message) = RequestRules.fault(in: request) {
        throw Failure(
          status: status, code: "bad_request", message: message, headers: [:], endsConnection: true)
      }
      try check(request)
      response = try await next(request, context)
    } catch {
      let failure = error as? Failure ?? convert(error, request, context)
      response = try failure.response(to: request)
      if failure.endsConnection(after: request) {
        // A client that isn't told sends its next request, which is cut off.
        response.headers[.connection] = "close"
        RequestRules.close(context.channel)
      }
    }
    for field in headers { response.headers[field.name] = field.value }
    return response
  }
}

/// Rules for every request, so that this server and a proxy in front of it read the same request.
enum RequestRules {
  /// Returns why a request is refused: two servers could interpret it differently, or its body has
  /// to be decoded first.
  ///
  /// Its connection must be closed after the response.
  static func fault(in request: Request) -> (HTTPResponse.Status, String)? {
    let host = request.head.authority
    let furtherHosts = HTTPField.Name("Host").map { request.headers[values: $0].count } ?? 0
    let encodings = request.headers[values: .transferEncoding]
    guard let host, furtherHosts == 0 else {
      return (
        .badRequest,
        host == nil
          ? "The request has no 'Host' header field. HTTP/1.1 requires one."
          : "The request has more than one 'Host' header field. Send one."
      )
    }
    guard host.utf8.allSatisfy({ (0x21..<0x7F).contains($0) && $0 != UInt8(ascii: ",") }) else {
      return (.badRequest, "The 'Host' header field must be one name or address.")
    }
    let coding = request.headers[.contentEncoding]?.lowercased() ?? "identity"
    guard coding == "identity" || !request.hasBody else {
      return (
        .unsupportedMediaType,
        "The body has the 'Content-Encoding' '\(coding.prefix(40))', which this server doesn't "
          + "decode. Send it without one."
      )
    }
    guard !encodings.isEmpty else { return nil }
    guard encodings.count == 1, encodings[0].lowercased() == "chunked" else {
      return (
        .notImplemented,
        "The only 'Transfer-Encoding' that this server supports is 'chunked'. Send the body with "
          + "that, or with a 'Content-Length'."
      )
    }
    guard request.headers[.contentLength] == nil else {
      return (
        .badRequest,
        "The request has both 'Content-Length' and 'Transfer-Encoding'. Send one of them."
      )
    }
    return nil
  }

  /// Closes a connection after the response has had time to arrive.
  ///
  /// Otherwise, the server would read the rest of a refused body to its end, however long it is.
  static func close(_ channel: any Channel) {
    channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
  }
}

extension Request {
  /// The number of bytes of the body according to `Content-Length`, or nil without that field.
  ///
  /// The parser allows only digits. A number that is too large for an integer is the largest one.
  package var announcedLength: Int? { headers[.contentLength].map { Int($0) ?? .max } }

  /// Whether the request has a body, which a client could send slowly forever.
  package var hasBody: Bool {
    headers[.transferEncoding] != nil || announcedLength ?? 0 > 0
  }

  /// Whether the body is declared as JSON.
  package var isJSON: Bool {
    headers[.contentType]?.lowercased().hasPrefix("application/json") == true
  }

  /// The token in the field `Authorization`, or nil if its scheme isn't `Bearer`.
  ///
  /// The scheme's name is case-insensitive (RFC 9110, section 11.1).
  package var bearerToken: Substring? {
    headers[.authorization].flatMap { $0.bearerToken }
  }
}

extension String {
  /// The token in the value of a field `Authorization`; see `Request.bearerToken`.
  package var bearerToken: Substring? {
    guard let space = firstIndex(of: " "), self[..<space].lowercased() == "bearer" else {
      return nil
    }
    return self[space...].drop { $0 == " " }
  }
}

extension Response {
  /// Makes a response with bytes.
  package static func data(
    _ data: some Sequence<UInt8>, type: String, status: HTTPResponse.Status = .ok,
    headers: HTTPFields = [:]
  ) -> Response {
    var headers = headers
    headers[.contentType] = type
    return Response(
      status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
  }
}
#endif
