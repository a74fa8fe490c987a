// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import ModelRepositoryAPI
import NIOCore
import NIOHTTP1
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Keeps the newest root document of a repository in the cache, and fetches newer ones.
///
/// Programs that trust other keys, or another root document, have a file of their own.
struct TrustKeeper: Sendable {
  let cache: CacheFolder
  let configuration: ModelRepositoryConfiguration
  let exchange: RepositoryExchange

  /// How many root documents are followed at once.
  private static let maximumSteps = 256

  private func file(_ trust: RepositoryTrust) -> String {
    "\(cache.trust)/\(trust.anchor).json"
  }

  /// What is trusted, as far as this computer knows.
  ///
  /// A file that cannot be read counts as none: the root documents are fetched again.
  ///
  /// - Throws: ``ModelRepositoryClientError`` for a root document of the program that is not one;
  ///   ``FileFailure`` when the file could be read in another moment.
  func stored() throws -> RepositoryTrust {
    var trust = try configuration.trust()
    guard
      let bytes = try CacheFile.contents(of: file(trust), upTo: 2 * RootDocument.maximumBytes),
      let signed = try? RepositoryJSON.decode(SignedDocument.self, from: Data(bytes))
    else { return trust }
    do { try trust.restore(signed) } catch is RepositoryError {}
    return trust
  }

  /// Follows the server's root documents to the newest.
  ///
  /// - Parameter trust: What is trusted.
  /// - Returns: What is trusted then.
  /// - Throws: ``ModelRepositoryClientError`` for a root document that does not follow.
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
        // The program may know the keys of a later one.
        continue
      } catch let error as RepositoryError {
        throw ModelRepositoryClientError(error)
      }
      guard trust.version == version else {
        throw ModelRepositoryClientError(
          .untrusted,
          "The server sent root document \(trust.version) where \(version) was asked for.")
      }
    }
    return trust
  }

  /// Keeps the root document, unless another process knows a newer one.
  ///
  /// - Returns: The newest.
  /// - Throws: ``FileFailure``.
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

  /// Asks for a root document; nil where the server has none of that version.
  private func fetch(_ version: Int) async throws -> SignedDocument? {
    let path = "/v1/root/\(version)"
    do {
      let response = try await exchange.get(path, ["accept": "application/json"])
      let bytes = try await exchange.body(
        of: response, path, upTo: 2 * RootDocument.maximumBytes)
      return try RepositoryJSON.decode(SignedDocument.self, from: Data(bytes.readableBytesView))
    } catch let error as ModelRepositoryClientError where error.code == .notFound {
      return nil
    } catch let error as DecodingError {
      throw ModelRepositoryClientError(
        .invalidDocument,
        "'\(exchange.server.appending(path).shown)' is not a signed document: \(error)",
        cause: error)
    }
  }
}

extension ModelRepositoryConfiguration {
  /// What came with the program.
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

extension ModelRepositoryClientError {
  /// What is wrong with a signed document.
  init(_ error: RepositoryError) {
    let code: Code
    switch error.code {
    case .untrusted: code = .untrusted
    case .expired: code = .expired
    case .notYetValid: code = .notYetValid
    case .replayed: code = .replayed
    default: code = .invalidDocument
    }
    self.init(code, error.message, cause: error)
  }
}
#endif
