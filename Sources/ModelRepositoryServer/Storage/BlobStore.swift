// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ModelRepositoryAPI
import NIOCore

/// Where blobs are kept: bytes that are named by their SHA-256 and never change.
///
/// A store knows nothing of models. It is only given files that were checked, and what it was given
/// it has for certain when the call returns. Every store passes `BlobStoreContract`.
protocol BlobStore: Sendable {
  /// Takes a file whose bytes were checked against the digest; afterwards it is the store's.
  ///
  /// A blob that is there already is replaced in one step: so a damaged one is mended.
  ///
  /// - Parameters:
  ///   - file: A path; where the call fails, the file may still be there.
  ///   - blob: What it has.
  /// - Throws: ``RepositoryError`` with the code `.storage`.
  func put(_ file: String, as blob: BlobReference) async throws

  /// Begins to read a blob.
  ///
  /// - Returns: The blob, which can be read to its end even if it is deleted meanwhile; nil where
  ///   there is none.
  func open(_ digest: BlobDigest) async throws -> (any BlobContent)?

  /// How many bytes a blob has; nil where there is none.
  func size(of digest: BlobDigest) async throws -> Int?

  /// Takes a blob away; one that is not there is no error.
  func delete(_ digest: BlobDigest) async throws

  /// Takes a damaged blob out of the way, and keeps it for people to look at.
  func quarantine(_ digest: BlobDigest) async throws

  /// Everything that is there.
  func list() async throws -> [StoredBlob]
}

/// A blob that is there.
struct StoredBlob: Sendable, Hashable {
  var blob: BlobReference
  /// When the store was given it.
  var stored: Date
}

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
}

extension BlobContent {
  /// Reads piece by piece, so that memory stays flat.
  func forEachPiece(
    in range: Range<Int>, _ body: (ByteBuffer) async throws -> Void
  ) async throws {
    var start = range.lowerBound
    while start < range.upperBound {
      try Task.checkCancellation()
      let end = min(start + blobPieceSize, range.upperBound)
      try await body(try await bytes(in: start..<end))
      start = end
    }
  }
}

/// How many bytes are read or written at once.
let blobPieceSize = 1 << 18
