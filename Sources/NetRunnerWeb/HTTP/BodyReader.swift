// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NetRunner
import Synchronization
import TensorIO

/// Reads requests' bodies into memory, within limits: of each, and of all at once.
final class BodyReader: Sendable {
  /// What all bodies that are held at once may have.
  private let budget: Int
  private let held = Mutex(0)

  /// Makes a reader.
  ///
  /// - Parameter budget: The most bytes that are held at once, of all requests together.
  init(budget: Int) { self.budget = budget }

  /// Reads a body, and calls a closure with it; until the closure is through, its bytes count.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - limit: The most bytes that this one may have.
  ///   - what: What the body is, for a message.
  ///   - body: Gets the bytes.
  /// - Returns: What the closure returned.
  /// - Throws: ``WebError`` for a body over the limit, and when too many are held already.
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
      guard isThere else {
        var error = WebError.tooBusy
        error.endsConnection = true
        throw error
      }
      reserved = count
    }
    // What is announced is refused before any of it is read.
    try reserve(min(request.headers[.contentLength].flatMap(Int.init) ?? 0, limit + 1))
    var bytes = ByteBuffer()
    bytes.reserveCapacity(reserved)
    for try await part in request.body {
      try reserve(bytes.readableBytes + part.readableBytes)
      bytes.writeImmutableBuffer(part)
    }
    return try await body(bytes)
  }

  /// Reads a body that is a JSON document.
  ///
  /// Its type must be said: browsers let pages of other sites send texts, but no JSON.
  func json(of request: Request) async throws -> JSONValue {
    guard request.headers[.contentType]?.lowercased().hasPrefix("application/json") == true else {
      throw WebError(
        status: .unsupportedMediaType, code: "not_json",
        message: "The body must be JSON, with 'Content-Type: application/json'.",
        endsConnection: true)
    }
    return try await withBody(of: request, limit: 1 << 20, as: "The JSON document") { bytes in
      do {
        return try JSONValue(parsing: Data(bytes.readableBytesView))
      } catch {
        throw WebError.badRequest("The body is not JSON: \(error).")
      }
    }
  }

  /// Writes a body to a new file, part by part.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - path: The file.
  ///   - limit: The most bytes that it may have.
  ///   - what: What the body is, for a message.
  /// - Throws: ``WebError`` for a body over the limit, and where the disk is full.
  func write(_ request: Request, to path: String, limit: Int, as what: String) async throws {
    guard request.headers[.contentLength].flatMap(Int.init) ?? 0 <= limit else {
      throw Self.tooLarge(what, limit)
    }
    do {
      let file = try ExclusiveFile(path, permissions: 0o600)
      var count = 0
      for try await part in request.body {
        count += part.readableBytes
        guard count <= limit else { throw Self.tooLarge(what, limit) }
        try part.withUnsafeReadableBytes { try file.write($0) }
      }
    } catch let error as POSIXError {
      throw WebError(
        status: HTTPResponse.Status(code: 507), code: "cannot_write",
        message: "\(what) cannot be kept: \(FileSystem.reason(for: error)).", endsConnection: true)
    }
  }

  private static func tooLarge(_ what: String, _ limit: Int) -> WebError {
    WebError(
      status: .contentTooLarge, code: "body_too_large",
      message: "\(what) has more than \(ByteCount(limit)), the most that is accepted.",
      endsConnection: true)
  }
}
#endif
