// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import AsyncHTTPClient
import ModelRepositoryAPI
import NIOCore
import NIOHTTP1
import WebClient

/// A blob in an S3-compatible store, in the state in which it was opened.
struct S3Content: BlobContent {
  let client: S3Client
  /// The request for the bytes, which the store rejects if the object's entity tag has changed.
  let request: S3Request
  let size: Int

  func bytes(in range: Range<Int>) async throws -> ByteBuffer {
    guard !range.isEmpty else { return ByteBuffer() }
    return try await client.retrying {
      var iterator = try await begin(range).body.makeAsyncIterator()
      var bytes = ByteBuffer()
      while bytes.readableBytes < range.count {
        guard var part = try await next(&iterator) else { throw brokenOff() }
        bytes.writeBuffer(&part)
      }
      try await end(&iterator)
      guard bytes.readableBytes == range.count else { throw brokenOff() }
      return bytes
    }
  }

  func pieces(in range: Range<Int>) async throws -> BlobPieces {
    guard !range.isEmpty else { return RangedPieces(content: self, range: range) }
    return S3Pieces(
      content: self, range: range, first: try await client.retrying { try await begin(range) })
  }

  /// Requests a range of bytes, and returns a response that contains exactly this range.
  fileprivate func begin(_ range: Range<Int>) async throws -> HTTPClientResponse {
    var request = request
    request.fields.append(("range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)"))
    let response = try await client.begin(request, allowing: [404, 412])
    guard ![404, 412].contains(response.status.code) else {
      let what = response.status.code == 404 ? "deleted" : "replaced"
      throw RepositoryError(
        .storage,
        "'\(client.name(of: request.key))' was \(what) while it was being read. Read it again."
      )
    }
    let field = response.headers.first(name: "content-range") ?? "none"
    let expected = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
    // Some stores return the whole object if the range covers all of it.
    let isWhole = range == 0..<size && response.status == .ok
    guard isWhole || (response.status == .partialContent && field == expected) else {
      throw client.failure(
        request,
        "the store responded with \(response.status.code) and the range '\(field.prefix(60))' "
          + "instead of '\(expected)'")
    }
    return response
  }

  fileprivate func next(
    _ iterator: inout HTTPClientResponse.Body.AsyncIterator
  ) async throws -> ByteBuffer? {
    do {
      return try await iterator.next()
    } catch {
      throw client.failure(request, error)
    }
  }

  /// Reads the end of the response, so that the connection can be reused.
  fileprivate func end(
    _ iterator: inout HTTPClientResponse.Body.AsyncIterator
  ) async throws {
    guard try await next(&iterator) == nil else {
      throw client.failure(request, "the store sent more bytes than were requested")
    }
  }

  fileprivate func brokenOff() -> FailedAttempt {
    client.failure(request, "the store closed the connection", isTransient: true)
  }
}

/// The bytes of a range, which are requested once, and again after each broken connection.
///
/// Bytes are only read from the connection when they are needed.
private struct S3Pieces: AsyncSequence, Sendable {
  let content: S3Content
  let range: Range<Int>
  let first: HTTPClientResponse

  struct AsyncIterator: AsyncIteratorProtocol {
    let content: S3Content
    var range: Range<Int>
    var body: HTTPClientResponse.Body.AsyncIterator?
    /// The bytes that were received but not returned yet.
    var pending = ByteBuffer()
    var failures = 0

    mutating func next() async throws -> ByteBuffer? {
      while pending.readableBytes < Swift.min(blobPieceSize, range.count) {
        do {
          try await fill()
        } catch let failure as FailedAttempt {
          body = nil
          failures += 1
          try await content.client.pause(after: failure, number: failures)
        }
      }
      guard !range.isEmpty,
        let piece = pending.readSlice(length: Swift.min(blobPieceSize, range.count))
      else { return nil }
      range = range.lowerBound + piece.readableBytes..<range.upperBound
      pending.discardReadBytes()
      return piece
    }

    /// Reads the next bytes from the connection.
    private mutating func fill() async throws {
      let rest = range.lowerBound + pending.readableBytes..<range.upperBound
      var iterator: HTTPClientResponse.Body.AsyncIterator
      if let body {
        iterator = body
      } else {
        iterator = try await content.begin(rest).body.makeAsyncIterator()
      }
      guard var part = try await content.next(&iterator) else { throw content.brokenOff() }
      failures = 0
      let isLast = part.readableBytes >= rest.count
      guard part.readableBytes <= rest.count else {
        throw RepositoryError(
          .storeUnavailable,
          "The store sent more bytes of '\(content.client.name(of: content.request.key))' than "
            + "were requested.")
      }
      pending.writeBuffer(&part)
      // All bytes have arrived, so an error at the response's end doesn't matter.
      if isLast { try? await content.end(&iterator) }
      body = isLast ? nil : iterator
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(content: content, range: range, body: first.body.makeAsyncIterator())
  }
}
#endif
