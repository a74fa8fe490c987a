// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import AsyncHTTPClient
package import ModelRepositoryAPI
import NIOCore
import NIOHTTP1

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ModelRepositoryClient {
  /// The most bytes of a list of models.
  private static let maximumListBytes = 4 << 20
  /// How many models are asked for at once.
  private static let concurrentOffers = 8

  /// What the channel gives this installation of a model; nothing of it is fetched or kept.
  ///
  /// - Parameter model: The model.
  /// - Returns: The version, with what its manifest says.
  /// - Throws: ``ModelRepositoryClientError``.
  package func offer(of model: RepositoryName) async throws -> ModelOffer {
    try await withExchange(configuration) { exchange in
      try await self.offer(of: model, exchange)
    }
  }

  /// What the channel gives this installation of each model of the server.
  ///
  /// Somebody waits for a list: a server that does not answer is asked twice at most.
  ///
  /// - Parameter limit: How many models are looked at.
  /// - Returns: The models by name; one without a version, or without a good signature, is an error
  ///   in its place.
  /// - Throws: ``ModelRepositoryClientError`` where there is no list.
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
      return try await HTTPClient.withHTTPClient(
        configuration: RepositoryExchange.clientConfiguration(configuration)
      ) { client in
        try await work(
          try RepositoryExchange(client: client, server: server, configuration: configuration))
      }
    } catch {
      throw ModelRepositoryClientError(error)
    }
  }

  private func offer(
    of model: RepositoryName, _ exchange: RepositoryExchange
  ) async throws -> ModelOffer {
    try await ModelDownload(
      folder: folder(of: model), configuration: configuration, installationID: installationID,
      exchange: exchange, onSafety: { _ in }, onProgress: { _ in }
    ).offer()
  }

  private func modelNames(_ exchange: RepositoryExchange) async throws -> [RepositoryName] {
    let path = "/v1/models"
    let bytes = try await exchange.retrying {
      let response = try await exchange.get(path, ["accept": "application/json"])
      return try await exchange.body(of: response, path, upTo: Self.maximumListBytes)
    }
    do {
      let list = try RepositoryJSON.decode(ModelList.self, from: Data(bytes.readableBytesView))
      return Set(list.models.map(\.name)).sorted()
    } catch {
      throw ModelRepositoryClientError(
        .serverError,
        "'\(exchange.server.appending(path).shown)' is no list of models: \(error)", cause: error)
    }
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
#endif
