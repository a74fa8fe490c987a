// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import AudioFiles
import Hummingbird
import Logging
import TensorIO
import WebServing

/// An error that a client receives as a response.
struct WebError: RequestFailure, Hashable {
  var status: HTTPResponse.Status
  var code: String
  var message: String
  var headers: HTTPFields
  var endsConnection: Bool
  /// The problems of a model's description, each with its place in model.json.
  var issues: [BundleIssue] = []

  init(
    status: HTTPResponse.Status, code: String, message: String, headers: HTTPFields = [:],
    endsConnection: Bool = false
  ) {
    self.status = status
    self.code = code
    self.message = message
    self.headers = headers
    self.endsConnection = endsConnection
  }

  func endsConnection(after request: Request) -> Bool { endsConnection }

  func response(to request: Request) throws -> Response {
    // In the Open Inference Protocol, an error is a plain string.
    let isPlain = request.uri.path.hasPrefix("/v2")
    guard !isPlain else { return try .json(["error": message], status: status, headers: headers) }
    var error: JSONObject = ["code": code, "message": message]
    if !issues.isEmpty { error.set("issues", issues.map(\.json)) }
    return try .json(["error": error], status: status, headers: headers)
  }
}

extension WebError {
  /// Converts the errors of routes, of which there are others than this type.
  init(_ error: any Error, _ request: Request, _ context: WebContext, _ routes: RouteTable) {
    switch error {
    case let error as TensorIOError: self.init(error)
    case let error as any HTTPResponseError: self.init(error, request, routes)
    case is ClientConnections.ClientIsGone: self = .clientIsGone
    case is CancellationError: self = .shuttingDown
    default:
      context.logger.error("a request failed: \(error)")
      self.init(
        status: .internalServerError, code: "internal_error",
        message: "The server failed to respond. Its log contains the reason.")
    }
  }

  static func noModel(_ id: String) -> WebError {
    WebError(
      status: .notFound, code: "model_not_found",
      message:
        "There is no model '\(id.prefix(100))'. GET /api/v1/models lists all models.")
  }

  static func badRequest(_ message: String) -> WebError {
    WebError(status: .badRequest, code: "bad_request", message: message)
  }

  static var tooBusy: WebError {
    WebError(
      status: .serviceUnavailable, code: "too_busy",
      message: "Too many requests are waiting. Try again in a moment.", headers: [.retryAfter: "1"])
  }

  /// The error of a request that was in progress when the time for shutting down was up.
  static var shuttingDown: WebError {
    WebError(
      status: .serviceUnavailable, code: "shutting_down",
      message: "The server is shutting down. Try again in a moment.", headers: [.retryAfter: "1"])
  }

  /// The error of a request whose client doesn't wait for the response, with the status that other
  /// servers' logs have.
  static var clientIsGone: WebError {
    WebError(
      status: HTTPResponse.Status(code: 499, reasonPhrase: "Client Closed Request"),
      code: "client_closed_request",
      message: "The client closed the connection before the run ended. Keep it open.",
      endsConnection: true)
  }

  static var tokenNeeded: WebError {
    WebError(
      status: .unauthorized, code: "token_needed",
      message: "This server requires a token. Send it as 'Authorization: Bearer TOKEN'.",
      headers: [.wwwAuthenticate: "Bearer"])
  }

  static var tooManyTokens: WebError {
    WebError(
      status: .tooManyRequests, code: "too_many_tokens",
      message: "Too many wrong tokens came from this address. Check the token, and try again in "
        + "10 seconds.", headers: [.retryAfter: "10"], endsConnection: true)
  }

  static var deadlineExceeded: WebError {
    WebError(
      status: .gatewayTimeout, code: "deadline_exceeded",
      message: "The request waited until its deadline, and didn't run. Allow more time, or send "
        + "fewer requests at once.")
  }

  /// A ``tooBusy`` that closes the connection, because the body isn't read.
  static var bodyRefused: WebError {
    var error = tooBusy
    error.endsConnection = true
    return error
  }

  static func notStored(_ reason: String) -> WebError {
    WebError(
      status: HTTPResponse.Status(code: 507), code: "not_stored",
      message: "The server can't store the file: \(reason).",
      endsConnection: true)
  }

  init(_ error: TensorIOError) {
    guard error.code != .cancelled else {
      self = .shuttingDown
      return
    }
    let (status, code): (HTTPResponse.Status, String) =
      switch error.code {
      case .invalidImage, .unsupportedImage: (.badRequest, "not_a_picture")
      case .imageTooLarge: (.contentTooLarge, "picture_too_large")
      case .invalidAudio, .unsupportedAudio: (.badRequest, "not_a_recording")
      case .audioTooLong: (.contentTooLarge, "recording_too_long")
      case .fileNotFound: (.notFound, "not_found")
      case .unwritableFile: (.internalServerError, "cannot_write")
      case .missingInput, .unknownInput, .wrongInputCount, .wrongElementCount, .wrongKind,
        .unrepresentableValue, .invalidOption:
        (.badRequest, "bad_request")
      case .invalidBundle, .invalidModel, .unsupportedModel, .unknownModelClass, .unknownBackend:
        (.unprocessableContent, "model_cannot_run")
      case .missingLibrary: (.serviceUnavailable, "library_missing")
      case .overloaded: (.serviceUnavailable, "too_busy")
      case .deadlineExceeded: (.gatewayTimeout, "deadline_exceeded")
      default: (.internalServerError, "inference_failed")
      }
    // The sentences after the first one are for the person at the server's own terminal.
    let message =
      error.code == .missingLibrary ? Self.firstSentence(of: error.message) : error.message
    self.init(status: status, code: code, message: message)
  }

  private static func firstSentence(of text: String) -> String {
    text.firstRange(of: ". ").map { String(text[..<$0.lowerBound]) + "." } ?? text
  }
}
#endif
