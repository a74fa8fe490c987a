// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Files
import Foundation
import ModelRepositoryAPI
import NIOHTTP1

/// Keeps the newest root document of a repository in the cache, and fetches newer ones.
///
/// Programs that trust different keys or root documents use different files.
struct TrustKeeper: Sendable {
  let cache: CacheFolder
  let configuration: ModelRepositoryConfiguration
  let exchange: RepositoryExchange

  /// The maximum number of root documents to follow in one update.
  private static let maximumSteps = 256

  private func file(_ trust: RepositoryTrust) -> String {
    "\(cache.trust)/\(trust.anchor).json"
  }

  /// Returns the newest trust that this computer has saved.
  ///
  /// A damaged file is ignored, so the root documents are fetched again.
  ///
  /// - Throws: ``ModelRepositoryClientError`` if the program's root document is invalid, or
  ///   ``FileError`` if reading the file may succeed later.
  func stored() throws -> RepositoryTrust {
    var trust = try configuration.trust()
    guard
      let bytes = try CacheFile.contents(of: file(trust), upTo: 2 * RootDocument.maximumBytes),
      let signed = try? RepositoryJSON.decode(SignedDocument.self, from: Data(bytes))
    else { return trust }
    do { try trust.restore(signed) } catch is RepositoryError {}
    return trust
  }

  /// Follows the server's root documents to the newest one.
  ///
  /// - Throws: ``ModelRepositoryClientError`` or `RepositoryError` if a root document doesn't
  ///   follow from the one before.
  func newest(after trust: RepositoryTrust) async throws -> RepositoryTrust {
    var trust = trust
    var version = trust.version
    for _ in 0..<Self.maximumSteps {
      version += 1
      guard let signed = try await exchange.retrying({ [version] in try await fetch(version) })
      else { break }
      do {
        try trust.accept(signed)
      } catch let error as RepositoryError where error.code == .untrusted && trust.root == nil {
        // The program may trust the keys of a later root document.
        continue
      }
      guard trust.version == version else {
        throw ModelRepositoryClientError(
          .untrusted,
          "The server sent root document \(trust.version) instead of \(version).")
      }
    }
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
    try cache.replace(file(trust), with: RepositoryJSON.encode(signed))
    return trust
  }

  /// Fetches a root document, or returns nil if the server doesn't have that version.
  private func fetch(_ version: Int) async throws -> SignedDocument? {
    let path = "/v1/root/\(version)"
    do {
      let response = try await exchange.get(path, ["accept": "application/json"])
      return try await exchange.document(
        SignedDocument.self, in: response, path, upTo: 2 * RootDocument.maximumBytes,
        .invalidDocument, "is not a signed document")
    } catch let error as ModelRepositoryClientError where error.code == .notFound {
      return nil
    }
  }
}

extension ModelRepositoryConfiguration {
  /// Returns the trust that came with the program.
  ///
  /// - Throws: ``ModelRepositoryClientError`` with `.invalidConfiguration`.
  func trust() throws -> RepositoryTrust {
    guard let root else { return RepositoryTrust(keys: keys) }
    do {
      return try RepositoryTrust(root: root)
    } catch {
      throw ModelRepositoryClientError(
        .invalidConfiguration, "The root document cannot be trusted: \(error)", cause: error)
    }
  }
}
#endif
