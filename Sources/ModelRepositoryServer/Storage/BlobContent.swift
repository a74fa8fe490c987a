// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ModelRepositoryAPI
import NIOCore

/// A blob that is being read.
protocol BlobContent: Sendable {
  /// How many bytes it has.
  var size: Int { get }

  /// Some of its bytes.
  ///
  /// - Parameter range: Within the blob; 256 KB or less are read at once.
  /// - Returns: All of these bytes.
  /// - Throws: ``RepositoryError`` where there are fewer.
  func bytes(in range: Range<Int>) async throws -> ByteBuffer

  /// Begins to read many bytes, as they are taken.
  ///
  /// What is known to be unreadable throws here: before an answer is begun that it would break off.
  ///
  /// - Parameter range: Within the blob.
  /// - Returns: The bytes in pieces of 256 KB or less, once; or a ``RepositoryError`` on the way,
  ///   never fewer bytes, or others.
  /// - Throws: ``RepositoryError``.
  func pieces(in range: Range<Int>) async throws -> BlobPieces
}

/// The bytes of a blob, as they are taken.
typealias BlobPieces = any AsyncSequence<ByteBuffer, any Error> & Sendable

extension BlobContent {
  func pieces(in range: Range<Int>) async throws -> BlobPieces {
    RangedPieces(content: self, range: range)
  }

  /// Reads piece by piece, so that memory stays flat.
  func forEachPiece(
    in range: Range<Int>, _ body: (ByteBuffer) async throws -> Void
  ) async throws {
    for try await piece in try await pieces(in: range) {
      try Task.checkCancellation()
      try await body(piece)
    }
  }
}

/// How many bytes are read or written at once.
let blobPieceSize = 1 << 18

/// A blob's bytes, read a piece at a time.
struct RangedPieces: AsyncSequence, Sendable {
  let content: any BlobContent
  let range: Range<Int>

  struct AsyncIterator: AsyncIteratorProtocol {
    let content: any BlobContent
    var range: Range<Int>

    mutating func next() async throws -> ByteBuffer? {
      guard !range.isEmpty else { return nil }
      let end = Swift.min(range.lowerBound + blobPieceSize, range.upperBound)
      defer { range = end..<range.upperBound }
      return try await content.bytes(in: range.lowerBound..<end)
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(content: content, range: range) }
}
#endif
