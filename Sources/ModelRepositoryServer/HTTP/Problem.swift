// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import Hummingbird
import ModelRepositoryAPI
import NIOCore

/// The reason why a request is rejected, as it is sent to the client.
struct Problem: Error {
  /// The status of the response.
  var status: HTTPResponse.Status
  /// The code by which programs distinguish problems; a problem's code never changes.
  var code: String
  /// A sentence for people that says what happened and how to fix it.
  var title: String
  /// Additional header fields of the response.
  var headers: HTTPFields = [:]
  /// Whether to close the connection because the client may still be sending the rejected body.
  var endsConnection = false

  init(
    _ status: HTTPResponse.Status, _ code: String, _ title: String, headers: HTTPFields = [:],
    endsConnection: Bool = false
  ) {
    self.status = status
    self.code = code
    self.title = title
    self.headers = headers
    self.endsConnection = endsConnection
  }

  /// The response.
  var response: Response {
    get throws {
      let details = ProblemDetails(status: status.code, code: code, title: title)
      return .data(
        try RepositoryJSON.encode(details), type: ProblemDetails.contentType, status: status,
        headers: headers)
    }
  }
}

extension Problem {
  /// Creates a problem for a request that isn't valid.
  static func badRequest(
    _ title: String, code: String = "bad_request", endsConnection: Bool = false
  ) -> Problem {
    Problem(.badRequest, code, title, endsConnection: endsConnection)
  }

  /// Creates a problem for something that doesn't exist.
  static func notFound(_ code: String, _ title: String) -> Problem {
    Problem(.notFound, code, title)
  }

  /// Creates a problem for a valid request whose content makes no sense.
  static func unprocessable(_ code: String, _ title: String) -> Problem {
    Problem(.unprocessableContent, code, title)
  }

  /// Creates a problem for a request that conflicts with the current state.
  static func conflict(_ code: String, _ title: String) -> Problem {
    Problem(.conflict, code, title)
  }

  /// Creates a problem for blobs that can't be read or stored until the disk or the store works
  /// again.
  static func storeUnavailable() -> Problem {
    Problem(
      .serviceUnavailable, "store_unavailable",
      "The server can't reach its blobs at the moment. Try again later.",
      headers: [.retryAfter: "10"])
  }

  /// Creates a problem for data that the disk can't store.
  static func notStored(_ error: any Error) -> Problem {
    Problem(
      HTTPStatus.insufficientStorage, "not_stored",
      "The server couldn't store the data: \(storageReason(error))", endsConnection: true)
  }

  /// Returns the reason without the server's paths.
  private static func storageReason(_ error: any Error) -> String {
    if let reason = (error as? RepositoryError)?.reason, !reason.contains("/") {
      return "\(reason)."
    }
    let reason = FileSystem.reason(for: error)
    return reason.contains("/") ? "its disk failed." : reason
  }
}

/// Statuses that HTTPTypes doesn't define.
enum HTTPStatus {
  static let insufficientStorage = HTTPResponse.Status(
    code: 507, reasonPhrase: "Insufficient Storage")
  static let preconditionRequired = HTTPResponse.Status(
    code: 428, reasonPhrase: "Precondition Required")
}
#endif
