// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import GRDB
import HTTPTypes
import Hummingbird
import Logging
import ModelRepositoryAPI
import NIOCore
import StoredRows
import WebServing

/// Turns the errors of routes into responses that programs and people understand.
struct ErrorMiddleware: RouterMiddleware {
  typealias Context = WebContext

  func handle(
    _ request: Request, context: WebContext,
    next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    do {
      try Self.checkRules(of: request)
      if Self.hasBody(request), request.method == .get || request.method == .head {
        throw Problem.badRequest(
          "A \(request.method.rawValue) request must not have a body.",
          code: "unwanted_body", endsConnection: true)
      }
      return try await next(request, context)
    } catch {
      var problem = Self.problem(for: error, request, context)
      let isStranger = problem.status == .unauthorized || problem.status == .forbidden
      if problem.endsConnection || Self.hasLargeBody(request)
        || (isStranger && Self.hasBody(request))
      {
        problem.headers[.connection] = "close"
        RequestRules.close(context.channel)
      }
      let response = try problem.response
      return request.method == .head ? response.withoutBody() : response
    }
  }

  private static func problem(
    for error: any Error, _ request: Request, _ context: WebContext
  ) -> Problem {
    switch error {
    case let error as Problem: return error
    case let error as RepositoryError where error.code == .storeUnavailable:
      context.logger.error("the blob store failed: \(error)")
      return .storeUnavailable()
    case let error as RepositoryError
    where error.code == .storage && [.get, .head].contains(request.method):
      context.logger.error("a blob cannot be read: \(error)")
      return .storeUnavailable()
    case let error as RepositoryError where error.code == .storage:
      context.logger.error("the disk failed: \(error)")
      return .notStored(error)
    case let error as DatabaseError
    where [.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_READONLY].contains(error.resultCode):
      context.logger.error("the database cannot be written: \(error)")
      let isFull = error.resultCode == .SQLITE_FULL
      return .notStored(
        RepositoryError(.storage, isFull ? "No space left on device." : "The disk failed."))
    case let error as DamagedRow:
      context.logger.error(
        "a row of the database is damaged",
        metadata: ["id": "\(context.id)", "fault": "\(error)"])
      return Problem(
        .internalServerError, "row_damaged",
        "A row of the server's database is damaged. The server's log describes it under the ID "
          + "\(context.id), and 'repository fsck' lists all damage.")
    case let error as DatabaseError
    where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode):
      context.logger.error(
        "the database is damaged",
        metadata: ["id": "\(context.id)", "fault": "\(RepositoryDatabase.reason(error))"])
      return Problem(
        .internalServerError, "database_damaged",
        "The server's database is damaged. The server's log has details under the ID "
          + "\(context.id), and 'repository fsck' describes the damage.")
    case let error as any HTTPResponseError:
      let isUnknown = error.status == .notFound
      return Problem(
        error.status, isUnknown ? "not_found" : "bad_request",
        isUnknown
          ? "There is nothing at '\(request.uri.path.prefix(100))'."
          : "The request is invalid: \(error.status.reasonPhrase).")
    case is CancellationError:
      return Problem(
        .serviceUnavailable, "ending",
        "The server is shutting down, or the client closed the connection.")
    default:
      context.logger.error("a request failed: \(error)", metadata: ["id": "\(context.id)"])
      return Problem(
        .internalServerError, "internal_error",
        "The server failed. Its log has details under the ID \(context.id).")
    }
  }

  /// Rejects a request that this server and a proxy in front of it could interpret differently.
  private static func checkRules(of request: Request) throws {
    do {
      try RequestRules.check(request)
    } catch {
      throw Problem(error.status, "bad_request", error.message, endsConnection: true)
    }
  }

  /// Whether the request has a body, which a client could send slowly forever.
  private static func hasBody(_ request: Request) -> Bool {
    request.headers[.transferEncoding] != nil
      || request.headers[.contentLength].flatMap(Int.init) ?? 0 > 0
  }

  /// Whether the rest of the body may be too large to be worth reading.
  private static func hasLargeBody(_ request: Request) -> Bool {
    if request.headers[.transferEncoding] != nil { return true }
    return request.headers[.contentLength].flatMap(Int.init) ?? 0 > 1 << 16
  }
}
#endif
