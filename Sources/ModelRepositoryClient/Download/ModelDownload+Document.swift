// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import AsyncHTTPClient
import Files
import Foundation
import ModelRepositoryAPI
import NIOHTTP1
import TensorIO

extension ModelDownload {
  private var path: String { "/v1/models/\(model)/channels/\(configuration.channel)" }

  /// Fetches the channel's newest document, verifies it, and records it in the state.
  func currentDocument() async throws -> TrustedDocument {
    let known = try folder.readState().channels[configuration.channel.text]
    let trust = try await BlockingWork.run { try trustStore().stored() }
    // If the known document can't be verified any more, fetch it again without its ETag.
    let usable = known.flatMap { known in (try? verified(known.document, trust)) }
    let etag = usable == nil ? nil : known?.etag
    let fetched = try await exchange.retrying { try await fetchDocument(etag) }
    guard let fetched else {
      guard let usable else {
        throw ModelRepositoryClientError(
          .serverError,
          "The server responded that '\(exchange.server.appending(path).shown)' hasn't changed, "
            + "although the request had no condition.")
      }
      return usable
    }
    try cache.environment.reached(.documentFetched)
    let document = try await trusted(fetched.signed, trust) { trust in
      try await BlockingWork.run { try trustStore().keep(trust) }
    }
    try await BlockingWork.run { try record(document, fetched.signed, fetched.etag) }
    return document
  }

  /// Fetches and verifies the channel's newest document without recording it.
  func offeredDocument() async throws -> TrustedDocument {
    guard let fetched = try await exchange.retrying({ try await fetchDocument(nil) }) else {
      throw ModelRepositoryClientError(
        .serverError,
        "The server responded that the document of '\(model)' hasn't changed, although the "
          + "request had no condition."
      )
    }
    let trust = try await BlockingWork.run { try trustStore().stored() }
    let document = try await trusted(fetched.signed, trust) { $0 }
    let seen =
      try folder.readState().channels[configuration.channel.text]?
      .version(seenBy: document.keys) ?? 0
    guard seen <= document.content.documentVersion else {
      throw replayed(document.content, seen: seen)
    }
    return document
  }

  /// Verifies a document, and fetches newer root documents if it needs them.
  ///
  /// The closure saves the new trust and returns the newest one.
  private func trusted(
    _ signed: SignedDocument, _ trust: RepositoryTrust,
    _ keep: (RepositoryTrust) async throws -> RepositoryTrust
  ) async throws -> TrustedDocument {
    do {
      let document = try verified(signed, trust)
      if document.content.root ?? 0 <= trust.version { return document }
    } catch let error as ModelRepositoryClientError
      where error.code == .untrusted || isOver(trust)
    {
      // A newer root document may name other keys.
    }
    let newest = try await keep(try await newest(after: trust))
    let document = try verified(signed, newest)
    guard document.content.root ?? 0 <= newest.version else {
      throw ModelRepositoryClientError(
        .untrusted,
        "The document of channel '\(document.content.channel)' of '\(model)' was signed under root "
          + "document \(document.content.root ?? 0), but the newest one that the server sends is "
          + "\(newest.version). Someone may be hiding the newer ones.")
    }
    return document
  }

  private func isOver(_ trust: RepositoryTrust) -> Bool {
    (try? trust.keys(at: cache.environment.now())) == nil
  }

  /// Fetches the channel's document, or returns nil if it still has the given ETag.
  func fetchDocument(
    _ etag: String?
  ) async throws -> (signed: SignedDocument, etag: String?)? {
    var fields = HTTPHeaders([("accept", "application/json")])
    if let etag { fields.add(name: "if-none-match", value: etag) }
    let response = try await exchange.get(path, fields)
    switch response.status.code {
    case 304: return nil
    case 200: break
    default:
      throw ModelRepositoryClientError(
        .serverError,
        "'\(exchange.server.appending(path).shown)': the server responded with \(response.status).",
        status: Int(response.status.code))
    }
    let signed = try await exchange.document(
      SignedDocument.self, in: response, path, upTo: ChannelDocument.maximumBytes,
      .invalidDocument, "isn't a signed document")
    return (signed, response.headers.first(name: "etag"))
  }

  /// Checks that a document has a trusted signature, belongs to this model and channel, and is
  /// current.
  func verified(_ signed: SignedDocument, _ trust: RepositoryTrust) throws -> TrustedDocument {
    let now = cache.environment.now()
    let (document, keys) = try ModelRepositoryClientError.converting {
      let keys = try trust.keys(at: now)
      return (try signed.verified(by: keys), keys)
    }
    guard document.model == model, document.channel == configuration.channel else {
      throw ModelRepositoryClientError(
        .untrusted,
        "The server sent the document of channel '\(document.channel)' of '\(document.model)' "
          + "instead of the one of channel '\(configuration.channel)' of '\(model)'.")
    }
    let revoked = try ModelRepositoryClientError.converting {
      try document.times.check(
        at: now, "The document of channel '\(document.channel)' of '\(model)'")
      return try trust.revokedKeyIDs
    }
    return TrustedDocument(
      content: document, keys: keys, signers: Set(signed.signers(among: keys).map(\.id)),
      revoked: revoked)
  }

  private func record(
    _ document: TrustedDocument, _ signed: SignedDocument, _ etag: String?
  ) throws {
    let content = document.content
    let channel = content.channel.text
    try folder.withState { state in
      let known = state.channels[channel]
      let seen = known?.version(seenBy: document.keys) ?? 0
      guard seen <= content.documentVersion else { throw replayed(content, seen: seen) }
      var versions = known?.versions(seenBy: document.keys) ?? [:]
      for signer in document.signers { versions[signer] = content.documentVersion }
      state.channels[channel] = ModelState.Channel(
        documentVersion: content.documentVersion, etag: etag, document: signed,
        versions: versions)
      state.removeUnsafe(below: content.minimumSafeSequence)
      state.removeRevoked(document.revoked, but: content.manifests)
    }
  }

  /// Returns the error for an old document that was sent again.
  func replayed(_ document: ChannelDocument, seen: Int) -> ModelRepositoryClientError {
    ModelRepositoryClientError(
      .replayed,
      "The server sent version \(document.documentVersion) of the document of channel "
        + "'\(document.channel)' of '\(model)', but this computer has already seen version "
        + "\(seen).")
  }
}

/// A verified document of a channel, with the keys that signed it.
struct TrustedDocument: Sendable {
  let content: ChannelDocument
  /// The keys that were trusted when it was verified.
  let keys: [VerificationKey]
  /// The ids of the keys that signed it.
  let signers: Set<String>
  /// The ids of revoked keys, which may be in other hands.
  let revoked: Set<String>
}

extension ChannelDocument {
  /// The manifest digests of all versions that the document assigns.
  var manifests: Set<BlobDigest> { Set(releases.map(\.manifest.digest)) }
}

/// Keeping the newest root document of the repository in the cache, and fetching newer ones.
extension ModelDownload {
  /// Returns where the newest root document is kept.
  ///
  /// - Throws: ``ModelRepositoryClientError`` if the program's root document is invalid.
  private func trustStore() throws -> TrustStore {
    TrustStore(cache: cache, initial: try configuration.trust())
  }

  /// Follows the server's root documents to the newest one.
  ///
  /// - Throws: ``ModelRepositoryClientError`` or `RepositoryError` if a root document doesn't
  ///   follow from the one before.
  private func newest(after trust: RepositoryTrust) async throws -> RepositoryTrust {
    var trust = trust
    try await trust.follow { version in
      try await exchange.retrying { try await fetch(version) }
    }
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
