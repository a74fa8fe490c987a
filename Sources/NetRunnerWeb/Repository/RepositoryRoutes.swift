// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import Hummingbird
import ModelRepositoryAPI
import ModelRepositoryClient
import NetRunner
import TensorIO

/// Routes that list what the repository has, which ``ImportRoutes`` imports.
struct RepositoryRoutes: Sendable {
  let source: RepositorySource?
  let catalogue: ModelCatalogue
  let queue: WorkQueue

  func add(to group: RouterGroup<WebContext>) {
    group.get("repository") { _, _ in try await list() }
  }

  private func list() async throws -> Response {
    guard let source else { throw WebError.noRepository }
    let offers: ModelOffers
    do {
      offers = try await source.offers()
    } catch let error as ModelRepositoryClientError {
      throw WebError(
        status: .badGateway, code: "\(error.code)", message: source.shown(error).message)
    }
    // Someone may have added a bundle to the folder, or removed one.
    try await queue.run { try catalogue.rescan() }
    return try .json(
      .object([
        "repository": .object([
          "address": .string(source.configuration.server),
          "channel": .string(source.configuration.channel.text),
          "models": .array(offers.entries.map { json($0, source) }),
          "left_off": .count(offers.leftOff),
        ])
      ]))
  }

  private func json(_ entry: ModelOffers.Entry, _ source: RepositorySource) -> JSONValue {
    let imported = catalogue.imported(entry.model, from: source)
    var members: [String: JSONValue] = [
      "name": .string(entry.model.text), "version": .null, "size_bytes": .null, "details": .null,
      "state": .string("unavailable"), "imported": .null, "problem": .null,
    ]
    if let imported {
      members["imported"] = .object([
        "model": .string(imported.id), "version": .text(imported.origin?.version),
      ])
    }
    switch entry.offer {
    case .failure(let error):
      members["problem"] = Self.problem("\(error.code)", source.shown(error).message)
    case .success(let offer):
      members["version"] = .string(offer.release.version.text)
      members["size_bytes"] = .count(offer.release.size)
      members["details"] = .text(offer.details)
      do {
        try source.check(offer, known: imported?.origin)
        let isSame = imported?.origin?.manifest == "\(offer.release.manifest.digest)"
        members["state"] = .string(imported == nil ? "new" : isSame ? "imported" : "update")
      } catch {
        members["problem"] = Self.problem("\(error.code)", error.message)
      }
    }
    return .object(members)
  }

  private static func problem(_ code: String, _ message: String) -> JSONValue {
    .object(["code": .string(code), "message": .string(message)])
  }
}

extension ModelCatalogue {
  /// Returns the model that was imported from a repository under a name, whatever its identifier is
  /// here.
  func imported(_ model: RepositoryName, from source: RepositorySource) -> VisionModel? {
    models.first {
      $0.origin?.repository == source.configuration.server && $0.origin?.model == model.text
    }
  }
}

extension WebError {
  /// An error for a request that needs a repository, if the server has none.
  static var noRepository: WebError {
    WebError(
      status: .notFound, code: "no_repository",
      message: "This server doesn't have a repository to import from. Start it with "
        + "'--repository ADDRESS --repository-key KEY'.")
  }
}
#endif
