// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import GRDB
import Hummingbird
import Logging
import ModelRepositoryAPI
import StoredRows
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

extension Problem {
  /// Rejects a body where none is expected.
  static func check(_ request: Request) throws {
    guard request.method == .get || request.method == .head, request.hasBody else { return }
    throw Problem(
      .badRequest, "unwanted_body",
      "A \(request.method.rawValue) request must not have a body.", endsConnection: true)
  }

  /// Converts any error that a route throws, and logs those that the operator has to know.
  init(_ error: any Error, _ request: Request, _ context: WebContext, _ routes: RouteTable) {
    let (logger, id) = (context.logger, Logger.MetadataValue.string("\(context.id)"))
    switch error {
    case let error as RepositoryError where error.code == .storeUnavailable:
      logger.error("the blob store failed: \(error)")
      self = .storeUnavailable()
    case let error as RepositoryError
    where error.code == .storage && [.get, .head].contains(request.method):
      logger.error("a blob cannot be read: \(error)")
      self = .storeUnavailable()
    case let error as RepositoryError where error.code == .storage:
      logger.error("the disk failed: \(error)")
      self = .notStored(error)
    case let error as DatabaseError
    where [.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_READONLY].contains(error.resultCode):
      logger.error("the database cannot be written: \(error)")
      let isFull = error.resultCode == .SQLITE_FULL
      self = .notStored(
        RepositoryError(.storage, isFull ? "No space left on device." : "The disk failed."))
    case let error as DamagedRow:
      logger.error(
        "a row of the database is damaged",
        metadata: ["id": id, "fault": "\(error)"])
      self.init(
        .internalServerError, "row_damaged",
        "A row of the server's database is damaged. The server's log describes it under the ID "
          + "\(context.id), and 'repository fsck' lists all damage.")
    case let error as DatabaseError
    where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode):
      logger.error(
        "the database is damaged",
        metadata: ["id": id, "fault": "\(RepositoryDatabase.reason(error))"])
      self.init(
        .internalServerError, "database_damaged",
        "The server's database is damaged. The server's log has details under the ID "
          + "\(context.id), and 'repository fsck' describes the damage.")
    case let error as any HTTPResponseError: self.init(error, request, routes)
    case is CancellationError:
      self.init(
        .serviceUnavailable, "ending",
        "The server is shutting down, or the client closed the connection.")
    default:
      logger.error("a request failed: \(error)", metadata: ["id": id])
      self.init(
        .internalServerError, "internal_error",
        "The server failed. Its log has details under the ID \(context.id).")
    }
  }
}
#endif
