// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import Hummingbird
import TensorIO

/// An error that a client receives as a response.
struct WebError: Error, Hashable {
  /// The response's status.
  var status: HTTPResponse.Status
  /// A code that lets programs tell errors apart, such as `model_not_found`.
  var code: String
  /// A message for people that says what happened and what to do about it.
  var message: String
  /// Additional header fields of the response.
  var headers: HTTPFields = [:]
  /// Whether to close the connection because the client may still be sending a refused body.
  var endsConnection = false
}

extension WebError {
  /// The error as `{"error": {"code": ..., "message": ...}}`.
  var json: JSONValue {
    .object(["error": .object(["code": .string(code), "message": .string(message)])])
  }

  /// An error for a model that doesn't exist.
  static func noModel(_ id: String) -> WebError {
    WebError(
      status: .notFound, code: "model_not_found",
      message:
        "There is no model '\(id.prefix(100))'. GET /api/v1/models lists all models.")
  }

  /// An error for a request that can't be understood.
  static func badRequest(_ message: String) -> WebError {
    WebError(status: .badRequest, code: "bad_request", message: message)
  }

  /// An error for more requests than the server accepts at once.
  static var tooBusy: WebError {
    WebError(
      status: .serviceUnavailable, code: "too_busy",
      message: "Too many requests are waiting. Try again in a moment.", headers: [.retryAfter: "1"])
  }

  /// An error for a file that can't be stored on disk.
  static func notStored(_ reason: String) -> WebError {
    WebError(
      status: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"),
      code: "not_stored", message: "The server can't store the file: \(reason).",
      endsConnection: true)
  }

  /// Makes an error from one that a model or an image threw.
  init(_ error: TensorIOError) {
    let (status, code): (HTTPResponse.Status, String) =
      switch error.code {
      case .invalidImage, .unsupportedImage: (.badRequest, "not_a_picture")
      case .imageTooLarge: (.contentTooLarge, "picture_too_large")
      case .fileNotFound: (.notFound, "not_found")
      case .unwritableFile: (.internalServerError, "cannot_write")
      case .missingInput, .unknownInput, .wrongInputCount, .wrongElementCount, .wrongKind,
        .unrepresentableValue, .invalidOption:
        (.badRequest, "bad_request")
      case .invalidBundle, .invalidModel, .unsupportedModel, .unknownModelClass, .unknownBackend:
        (.unprocessableContent, "model_cannot_run")
      case .missingLibrary: (.serviceUnavailable, "library_missing")
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
