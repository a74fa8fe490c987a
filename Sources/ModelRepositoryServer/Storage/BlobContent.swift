// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import NIOCore

/// A blob that is open for reading.
protocol BlobContent: Sendable {
  var size: Int { get }

  /// Reads all bytes of a range within the blob; callers read at most 256 KB at once.
  func bytes(in range: Range<Int>) async throws -> ByteBuffer

  /// Starts to read a range that may be large.
  ///
  /// A failure that can be detected immediately is thrown here, before a response begins that would
  /// have to be aborted.
  ///
  /// The pieces have at most 256 KB, and can be iterated once. If reading fails on the way, the
  /// sequence throws ``RepositoryError``. It never ends early and never returns other bytes.
  func pieces(in range: Range<Int>) async throws -> BlobPieces
}

/// The bytes of a blob, piece by piece.
typealias BlobPieces = any AsyncSequence<ByteBuffer, any Error> & Sendable

extension BlobContent {
  func pieces(in range: Range<Int>) async throws -> BlobPieces {
    RangedPieces(content: self, range: range)
  }

  /// Reads all bytes of a blob that is known to be small.
  func data() async throws -> Data {
    var bytes = Data()
    try await forEachPiece(in: 0..<size) { bytes.append(contentsOf: $0.readableBytesView) }
    return bytes
  }

  /// Reads the bytes piece by piece, so that the memory use stays constant.
  func forEachPiece(
    in range: Range<Int>, _ body: (ByteBuffer) async throws -> Void
  ) async throws {
    for try await piece in try await pieces(in: range) {
      try Task.checkCancellation()
      try await body(piece)
    }
  }
}

/// The number of bytes to read or write at once.
let blobPieceSize = 1 << 18

/// The bytes of a blob, read one piece at a time.
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
