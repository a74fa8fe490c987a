// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import Hummingbird
import ModelRepositoryAPI
import NIOCore

/// Why a request is refused, as clients get it.
struct Problem: Error {
  /// The answer's status.
  var status: HTTPResponse.Status
  /// What programs tell problems apart by; such a code never changes.
  var code: String
  /// A sentence for a person: what happened, and how to mend it.
  var title: String
  /// The answer's further header fields.
  var headers: HTTPFields = [:]
  /// Whether the client may still be sending what was refused: the connection is closed then.
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

  /// The answer.
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
  /// A request that cannot be understood.
  static func badRequest(
    _ title: String, code: String = "bad_request", endsConnection: Bool = false
  ) -> Problem {
    Problem(.badRequest, code, title, endsConnection: endsConnection)
  }

  /// Something that is not there.
  static func notFound(_ code: String, _ title: String) -> Problem {
    Problem(.notFound, code, title)
  }

  /// Something that was understood and makes no sense.
  static func unprocessable(_ code: String, _ title: String) -> Problem {
    Problem(.unprocessableContent, code, title)
  }

  /// Something that does not fit with what is there.
  static func conflict(_ code: String, _ title: String) -> Problem {
    Problem(.conflict, code, title)
  }

  /// What cannot be read, or stored, until the disk or another machine is well again.
  static func storeUnavailable() -> Problem {
    Problem(
      .serviceUnavailable, "store_unavailable",
      "The server cannot reach its blobs for now. Try again later.", headers: [.retryAfter: "10"])
  }

  /// What the disk does not take.
  static func notStored(_ error: any Error) -> Problem {
    Problem(
      HTTPStatus.insufficientStorage, "not_stored",
      "The server could not store it: \(storageReason(error))", endsConnection: true)
  }

  /// The reason without the server's paths.
  private static func storageReason(_ error: any Error) -> String {
    let reason = FileSystem.reason(for: error)
    guard error is RepositoryError, let colon = reason.lastIndex(of: ":") else {
      return reason.contains("/") ? "its disk failed." : reason
    }
    return reason[reason.index(after: colon)...].trimmingPrefix(" ").description
  }
}
#endif
