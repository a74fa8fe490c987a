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
  private let pace: MinimumRate
  private let held = Mutex(0)

  /// How much of a body is reserved at once, at least and at most.
  private static let (leastStep, step) = (64 << 10, 1 << 20)

  /// - Parameters:
  ///   - budget: The maximum number of bytes to hold at once, for all requests together.
  ///   - pace: How long a body may take: the patience, and its size at the rate.
  init(budget: Int, pace: MinimumRate = MinimumRate(rate: 16 << 10, patience: .seconds(10))) {
    self.budget = budget
    self.pace = pace
  }

  /// Calls a closure with a body, whose bytes count toward the budget until it returns.
  ///
  /// Only what has arrived counts, because a client can announce a large body and send nothing.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - limit: The maximum size of the body in bytes.
  ///   - what: What the body is, for error messages.
  ///   - reserve: Reserves memory for a part of the body before it is read.
  ///   - body: Gets the whole body.
  /// - Returns: What the closure returns.
  /// - Throws: What the closures throw, and ``WebError`` if the body is too large or too slow, or if
  ///   there is no room for it.
  func withBody<Result>(
    of request: Request, limit: Int, as what: String,
    reserving reserve: (_ count: Int) async throws -> Void = { _ in },
    _ body: (ByteBuffer) async throws -> Result
  ) async throws -> Result {
    let announced = request.announcedLength
    // Refuse a body before reading any of it if its announced length is too large.
    guard announced ?? 0 <= limit else { throw Self.tooLarge(what, limit) }
    var reserved = 0
    defer { held.withLock { $0 -= reserved } }
    var bytes = ByteBuffer()
    bytes.reserveCapacity(min(announced ?? 0, Self.step))
    var parts = request.body.makeAsyncIterator()
    var waited = Duration.zero
    while true {
      let start = ContinuousClock.now
      guard let part = try await parts.next() else { break }
      waited += ContinuousClock.now - start
      let count = bytes.readableBytes + part.readableBytes
      guard count <= limit else { throw Self.tooLarge(what, limit) }
      try checkPace(waited, size: max(announced ?? 0, count), what)
      if count > reserved {
        let step = min(max(reserved, Self.leastStep), Self.step)
        let more = max(count, min(reserved + step, announced ?? 0)) - reserved
        try take(more)
        reserved += more
        try await reserve(more)
      }
      bytes.writeImmutableBuffer(part)
    }
    return try await body(bytes)
  }

  private func take(_ count: Int) throws {
    let isThere = held.withLock { held in
      guard held + count <= budget else { return false }
      held += count
      return true
    }
    guard isThere else { throw WebError.bodyRefused }
  }

  /// Refuses a body whose client takes too long, because its memory is lost for others meanwhile.
  private func checkPace(_ waited: Duration, size: Int, _ what: String) throws {
    let longest = pace.patience + .seconds(Double(size) / Double(pace.rate))
    guard waited > longest else { return }
    throw WebError(
      status: .requestTimeout, code: "body_too_slow",
      message: "\(what) wasn't complete after \(longest.components.seconds) seconds. Send it at "
        + "\(ByteCount(pace.rate)) a second or more.",
      endsConnection: true)
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
