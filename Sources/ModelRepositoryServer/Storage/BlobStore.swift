// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelRepositoryAPI
import NIOCore

/// A store of blobs, which are immutable bytes that are identified by their SHA-256.
///
/// A store knows nothing about models. It only receives files that were verified, and a blob is
/// durable when ``put(_:as:)`` returns. Every store has to pass the tests in `BlobStoreTests`.
protocol BlobStore: Sendable {
  /// Moves a verified file into the store.
  ///
  /// If the blob already exists, it is replaced in one step. This repairs a damaged blob.
  ///
  /// - Parameters:
  ///   - file: The file's path. If the call fails, the file may still exist.
  ///   - blob: The file's digest and size.
  /// - Throws: ``RepositoryError``. With the code `.storage`, the state of the file is unknown.
  ///   With `.storeUnavailable`, the file is intact and can be stored again.
  func put(_ file: String, as blob: BlobReference) async throws

  /// Opens a blob for reading.
  ///
  /// If the blob is deleted or replaced meanwhile, the read either completes or throws. A folder
  /// keeps an open file until it is closed. A remote store finishes the response that it has begun,
  /// and rejects further requests. A read never returns bytes of another blob.
  ///
  /// - Returns: The blob; nil if it doesn't exist.
  func open(_ digest: BlobDigest) async throws -> (any BlobContent)?

  /// Returns a blob's size in bytes; nil if it doesn't exist.
  func size(of digest: BlobDigest) async throws -> Int?

  /// Deletes a blob; a missing blob isn't an error.
  func delete(_ digest: BlobDigest) async throws

  /// Moves a damaged blob out of the way, and keeps it so that people can examine it.
  func quarantine(_ digest: BlobDigest) async throws

  func list() async throws -> [StoredBlob]

  /// Checks that the store responds and that it belongs to this repository.
  func check() async throws
}

extension BlobStore {
  /// Succeeds, because a store on this machine's disk is always reachable.
  func check() async throws {}
}

extension BlobDigest {
  /// The path of the blob in a store: `sha256/ab/<hex>`.
  var storedPath: String { "sha256/\(hexadecimal.prefix(2))/\(hexadecimal)" }

  /// A new name for a damaged blob.
  var quarantineName: String { "\(hexadecimal).\(UUID().uuidString)" }
}

/// A blob in a store.
struct StoredBlob: Sendable, Hashable {
  var blob: BlobReference
  /// The time at which the blob was stored.
  var stored: Date
}

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
