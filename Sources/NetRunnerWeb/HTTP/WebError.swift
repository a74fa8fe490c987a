// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import Hummingbird
import TensorIO

/// What went wrong with a request, as clients get it.
struct WebError: Error, Hashable {
  /// The answer's status.
  var status: HTTPResponse.Status
  /// What programs tell errors apart by, such as `model_not_found`.
  var code: String
  /// A sentence for a person: what happened, and what to do about it.
  var message: String
  /// The answer's further header fields.
  var headers: HTTPFields = [:]
  /// Whether the client may still be sending what was refused: the connection is closed then.
  var endsConnection = false
}

extension WebError {
  /// The error as `{"error": {"code": ..., "message": ...}}`.
  var json: JSONValue {
    .object(["error": .object(["code": .string(code), "message": .string(message)])])
  }

  /// A model that is not there.
  static func noModel(_ id: String) -> WebError {
    WebError(
      status: .notFound, code: "model_not_found",
      message:
        "There is no model '\(id.prefix(100))'. GET /api/v1/models lists those that there are.")
  }

  /// A request that cannot be understood.
  static func badRequest(_ message: String) -> WebError {
    WebError(status: .badRequest, code: "bad_request", message: message)
  }

  /// More requests than the server takes at once.
  static var tooBusy: WebError {
    WebError(
      status: .serviceUnavailable, code: "too_busy",
      message: "Too many requests are waiting. Try again in a moment.", headers: [.retryAfter: "1"])
  }

  /// A file that the disk does not take.
  static func notStored(_ reason: String) -> WebError {
    WebError(
      status: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"),
      code: "not_stored", message: "The server cannot store the file: \(reason).",
      endsConnection: true)
  }

  /// What a model or picture threw.
  init(_ error: TensorIOError) {
    let (status, code): (HTTPResponse.Status, String) =
      switch error.code {
      case .invalidImage, .unsupportedImage: (.badRequest, "not_a_picture")
      case .imageTooLarge: (.contentTooLarge, "picture_too_large")
      case .fileNotFound: (.notFound, "not_found")
      case .missingInput, .unknownInput, .wrongInputCount, .wrongElementCount, .wrongKind,
        .unrepresentableValue, .invalidOption:
        (.badRequest, "bad_request")
      case .invalidBundle, .invalidModel, .unsupportedModel, .unknownModelClass, .unknownBackend:
        (.unprocessableContent, "model_cannot_run")
      case .missingLibrary: (.serviceUnavailable, "library_missing")
      default: (.internalServerError, "inference_failed")
      }
    // What comes after the first sentence is for the person at the server's own terminal.
    let message =
      error.code == .missingLibrary ? Self.firstSentence(of: error.message) : error.message
    self.init(status: status, code: code, message: message)
  }

  private static func firstSentence(of text: String) -> String {
    text.firstRange(of: ". ").map { String(text[..<$0.lowerBound]) + "." } ?? text
  }
}
#endif
