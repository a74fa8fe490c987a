// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird
import ModelRepositoryAPI
import WebServing

/// The reason why a request is rejected, as it is sent to the client.
struct Problem: RequestFailure {
  var status: HTTPResponse.Status
  var code: String
  var message: String
  var headers: HTTPFields
  var endsConnection: Bool

  func endsConnection(after request: Request) -> Bool {
    let isStranger = status == .unauthorized || status == .forbidden
    // The rest of a large body isn't worth reading.
    let isLarge =
      request.headers[.transferEncoding] != nil || request.announcedLength ?? 0 > 1 << 16
    return endsConnection || isLarge || (isStranger && request.hasBody)
  }

  func response(to request: Request) throws -> Response {
    let details = ProblemDetails(status: status.code, code: code, title: message)
    var headers = headers
    if endsConnection(after: request) { headers[.connection] = "close" }
    let response = Response.data(
      try RepositoryJSON.encode(details), type: ProblemDetails.contentType, status: status,
      headers: headers)
    return request.method == .head ? response.withoutBody() : response
  }
}

extension Problem {
  init(
    _ status: HTTPResponse.Status, _ code: String, _ message: String, headers: HTTPFields = [:],
    endsConnection: Bool = false
  ) {
    self.init(
      status: status, code: code, message: message, headers: headers,
      endsConnection: endsConnection)
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
}
#endif
