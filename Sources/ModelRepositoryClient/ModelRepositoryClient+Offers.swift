// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
package import ModelRepositoryAPI
import NIOCore
import NIOHTTP1
import TensorIO

extension ModelRepositoryClient {
  /// The maximum size of a list of models, in bytes.
  private static let maximumListBytes = 4 << 20
  /// The number of models that are requested concurrently.
  private static let concurrentOffers = 8

  /// Returns the version of a model that the channel assigns to this installation, without
  /// downloading it.
  ///
  /// - Throws: ``ModelRepositoryClientError``.
  package func offer(of model: RepositoryName) async throws -> ModelOffer {
    try await withExchange(configuration) { exchange in
      try await self.offer(of: model, exchange)
    }
  }

  /// Returns the versions that the channel assigns to this installation, for the server's models.
  ///
  /// A person waits for the list, so a server that doesn't respond is tried at most twice.
  ///
  /// - Returns: The models, sorted by name, and at most as many as the limit. A model without a
  ///   version or without a valid signature has an error instead of an offer.
  /// - Throws: ``ModelRepositoryClientError`` if the list can't be fetched.
  package func offers(upTo limit: Int) async throws -> ModelOffers {
    var configuration = configuration
    configuration.retries = min(configuration.retries, 1)
    return try await withExchange(configuration) { exchange in
      let names = try await self.modelNames(exchange)
      let shown = Array(names.prefix(limit))
      return ModelOffers(
        entries: try await self.entries(shown, exchange), leftOff: names.count - shown.count)
    }
  }

  private func withExchange<Result: Sendable>(
    _ configuration: ModelRepositoryConfiguration,
    _ work: @escaping @Sendable (RepositoryExchange) async throws -> Result
  ) async throws -> Result {
    do {
      return try await work(try RepositoryExchange(server: server, configuration: configuration))
    } catch {
      throw ModelRepositoryClientError(error)
    }
  }

  private func offer(
    of model: RepositoryName, _ exchange: RepositoryExchange
  ) async throws -> ModelOffer {
    try await ModelDownload(
      folder: folder(of: model), configuration: configuration, installationID: installationID,
      exchange: exchange
    ).offer()
  }

  private func modelNames(_ exchange: RepositoryExchange) async throws -> [RepositoryName] {
    let path = "/v1/models"
    let list = try await exchange.retrying {
      try await exchange.document(
        ModelList.self, in: try await exchange.get(path, ["accept": "application/json"]), path,
        upTo: Self.maximumListBytes, .serverError, "isn't a list of models")
    }
    return Set(list.models.map(\.name)).sorted()
  }

  private func entries(
    _ models: [RepositoryName], _ exchange: RepositoryExchange
  ) async throws -> [ModelOffers.Entry] {
    let entries = await withTaskGroup(of: ModelOffers.Entry.self) { group in
      var waiting = models.makeIterator()
      func addNext() {
        guard let model = waiting.next() else { return }
        group.addTask { await self.entry(model, exchange) }
      }
      for _ in 0..<Self.concurrentOffers { addNext() }
      var entries: [ModelOffers.Entry] = []
      while let entry = await group.next() {
        entries.append(entry)
        addNext()
      }
      return entries
    }
    try Task.checkCancellation()
    return entries.sorted { $0.model < $1.model }
  }

  private func entry(
    _ model: RepositoryName, _ exchange: RepositoryExchange
  ) async -> ModelOffers.Entry {
    do {
      return ModelOffers.Entry(model: model, offer: .success(try await offer(of: model, exchange)))
    } catch {
      return ModelOffers.Entry(model: model, offer: .failure(ModelRepositoryClientError(error)))
    }
  }
}

extension ModelDownload {
  /// Returns the version that a download would fetch, verified in the same way, without writing
  /// anything.
  ///
  /// - Throws: ``ModelRepositoryClientError``, ``FileError`` or `CancellationError`.
  func offer() async throws -> ModelOffer {
    let document = try await offeredDocument().content
    let state = try folder.readState()
    let present = Set([state.active, state.pending].compactMap { $0?.digest })
    let assignment = document.assignment(for: installationID, having: present)
    guard let release = assignment.release else { throw noVersion }
    let manifest = try await offeredManifest(release)
    return ModelOffer(
      model: model, release: release, documentVersion: document.documentVersion,
      format: manifest.format, details: manifest.details)
  }

  private func offeredManifest(_ release: ChannelDocument.Release) async throws -> VersionManifest {
    let reference = release.manifest
    let stored = try await BlockingWork.run { try cache.manifest(reference) }
    if let stored { return stored }
    let path = "/v1/blobs/\(reference.digest)"
    let bytes = try await exchange.retrying {
      let response = try await exchange.get(path, ["accept": "application/octet-stream"])
      return try await exchange.body(of: response, path, upTo: reference.size)
    }
    let found = BlobDigest(of: bytes.readableBytesView)
    guard found == reference.digest else {
      throw ModelRepositoryClientError(
        .corrupt,
        "The manifest of '\(model)' \(release.version) should have the digest \(reference.digest), "
          + "but the server sent one with the digest \(found).",
        digests: (reference.digest, found))
    }
    return try manifest(Data(bytes.readableBytesView), of: release)
  }
}

/// The version of a model that a channel assigns to this installation, verified by a trusted key.
package struct ModelOffer: Sendable {
  package let model: RepositoryName
  package let release: ChannelDocument.Release
  /// The version of the channel's document that assigns it.
  package let documentVersion: Int
  package let format: VersionManifest.Format
  /// The publisher's description of the version.
  package let details: String?
}

/// The models that a server offers.
package struct ModelOffers: Sendable {
  /// A model that the server lists, and the version that its channel assigns.
  ///
  /// The list itself isn't signed.
  package struct Entry: Sendable {
    package let model: RepositoryName
    package let offer: Result<ModelOffer, ModelRepositoryClientError>
  }

  /// The models, by name.
  package let entries: [Entry]
  /// The number of further models that the server has.
  package let leftOff: Int
}
#endif
