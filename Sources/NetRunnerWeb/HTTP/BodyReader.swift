// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Files
import Foundation
import Hummingbird
import Synchronization
import TensorIO
import WebServing

/// Reads request bodies into memory, limiting the size of each one and of all of them together.
final class BodyReader: Sendable {
  private let budget: Int
  private let held = Mutex(0)

  /// - Parameter budget: The maximum number of bytes to hold at once, for all requests together.
  init(budget: Int) { self.budget = budget }

  /// Calls a closure with a body, whose bytes count toward the budget until it returns.
  ///
  /// `what` describes the body in error messages.
  func withBody<Result>(
    of request: Request, limit: Int, as what: String,
    _ body: (ByteBuffer) async throws -> Result
  ) async throws -> Result {
    var reserved = 0
    defer { held.withLock { $0 -= reserved } }
    func reserve(_ count: Int) throws {
      guard count <= limit else { throw Self.tooLarge(what, limit) }
      guard count > reserved else { return }
      let isThere = held.withLock { held in
        guard held + count - reserved <= budget else { return false }
        held += count - reserved
        return true
      }
      guard isThere else { throw WebError.bodyRefused }
      reserved = count
    }
    // Refuse a body before reading any of it if its announced length is too large.
    try reserve(min(request.announcedLength ?? 0, limit + 1))
    var bytes = ByteBuffer()
    bytes.reserveCapacity(reserved)
    for try await part in request.body {
      try reserve(bytes.readableBytes + part.readableBytes)
      bytes.writeImmutableBuffer(part)
    }
    return try await body(bytes)
  }

  /// Reads a JSON document.
  ///
  /// The request must declare the JSON content type, because browsers let pages from other sites
  /// send text but not JSON.
  func json(of request: Request, limit: Int = 1 << 20) async throws -> JSONValue {
    guard request.isJSON else {
      throw WebError(
        status: .unsupportedMediaType, code: "not_json",
        message: "The body must be JSON, with 'Content-Type: application/json'.",
        endsConnection: true)
    }
    return try await withBody(of: request, limit: limit, as: "The JSON document") { bytes in
      do {
        return try JSONValue(parsing: Data(bytes.readableBytesView))
      } catch {
        throw WebError.badRequest("The body isn't valid JSON: \(error).")
      }
    }
  }

  /// Writes a body to a new file, part by part.
  func write(_ request: Request, to path: String, limit: Int, as what: String) async throws {
    guard request.announcedLength ?? 0 <= limit else {
      throw Self.tooLarge(what, limit)
    }
    do {
      let file = try OpenFile(creating: path, permissions: 0o600)
      var count = 0
      for try await part in request.body {
        count += part.readableBytes
        guard count <= limit else { throw Self.tooLarge(what, limit) }
        try part.withUnsafeReadableBytes { try file.write($0) }
      }
    } catch let error as FileError {
      throw WebError(
        status: HTTPResponse.Status(code: 507), code: "cannot_write",
        message: "\(what) can't be stored: \(error.reason).", endsConnection: true)
    }
  }

  private static func tooLarge(_ what: String, _ limit: Int) -> WebError {
    WebError(
      status: .contentTooLarge, code: "body_too_large",
      message: "\(what) is larger than the maximum of \(ByteCount(limit)).",
      endsConnection: true)
  }
}
#endif
