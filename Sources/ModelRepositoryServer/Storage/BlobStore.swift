// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelRepositoryAPI

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
#endif
