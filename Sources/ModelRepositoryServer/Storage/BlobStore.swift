// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelRepositoryAPI

/// Where blobs are kept: bytes that are named by their SHA-256 and never change.
///
/// A store knows nothing of models. It is only given files that were checked, and what it was given
/// it has for certain when the call returns. Every store passes the tests of `BlobStoreTests`.
protocol BlobStore: Sendable {
  /// Takes a file whose bytes were checked against the digest; afterwards it is the store's.
  ///
  /// A blob that is there already is replaced in one step: so a damaged one is mended.
  ///
  /// - Parameters:
  ///   - file: A path; where the call fails, the file may still be there.
  ///   - blob: What it has.
  /// - Throws: ``RepositoryError``: with the code `.storage` nobody knows what became of the file;
  ///   with `.storeUnavailable` it is there and whole, and can be put again.
  func put(_ file: String, as blob: BlobReference) async throws

  /// Begins to read a blob.
  ///
  /// What is deleted or replaced meanwhile is read to its end, or reading throws: a folder keeps
  /// what is open, a store behind a network keeps what it has begun to send, and refuses the rest.
  /// Other bytes than those that were there never come.
  ///
  /// - Returns: The blob; nil where there is none.
  func open(_ digest: BlobDigest) async throws -> (any BlobContent)?

  /// How many bytes a blob has; nil where there is none.
  func size(of digest: BlobDigest) async throws -> Int?

  /// Takes a blob away; one that is not there is no error.
  func delete(_ digest: BlobDigest) async throws

  /// Takes a damaged blob out of the way, and keeps it for people to look at.
  func quarantine(_ digest: BlobDigest) async throws

  /// Everything that is there.
  func list() async throws -> [StoredBlob]

  /// Whether the store answers, and is this repository's.
  ///
  /// - Throws: ``RepositoryError`` where it is not so.
  func check() async throws
}

extension BlobStore {
  /// A store on this machine's disk answers.
  func check() async throws {}
}

/// A blob that is there.
struct StoredBlob: Sendable, Hashable {
  var blob: BlobReference
  /// When the store was given it.
  var stored: Date
}
#endif
