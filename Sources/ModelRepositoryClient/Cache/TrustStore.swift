// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Files
import Foundation
import ModelRepositoryAPI

/// The newest root document that this computer has followed to, which is kept in the cache.
///
/// A key that it revokes stays revoked, although a server may hide the document later. Programs that
/// trust different keys or root documents use different files.
struct TrustStore: Sendable {
  let cache: CacheFolder
  /// The trust that came with the program.
  let initial: RepositoryTrust

  private var file: String { "\(cache.trust)/\(initial.anchor).json" }

  /// Returns the newest trust that this computer has saved.
  ///
  /// A damaged file is ignored, so the root documents are fetched again.
  ///
  /// - Throws: ``FileError`` if reading the file may succeed later.
  func stored() throws -> RepositoryTrust {
    var trust = initial
    guard let bytes = try CacheFile.contents(of: file, upTo: 2 * RootDocument.maximumBytes),
      let signed = try? RepositoryJSON.decode(SignedDocument.self, from: Data(bytes))
    else { return trust }
    do { try trust.restore(signed) } catch is RepositoryError {}
    return trust
  }

  /// Saves the root document, unless another process has saved a newer one, and returns the newest
  /// trust.
  ///
  /// - Throws: ``FileError``.
  func keep(_ trust: RepositoryTrust) throws -> RepositoryTrust {
    guard let signed = trust.signedRoot else { return trust }
    try CacheFolder.makeFolder(cache.trust)
    let lock = try FileLock.waiting(on: cache.trust)
    defer { withExtendedLifetime(lock) {} }
    let known = try stored()
    guard known.version < trust.version else { return known }
    try cache.replace(file, with: RepositoryJSON.encode(signed))
    return trust
  }
}
#endif
