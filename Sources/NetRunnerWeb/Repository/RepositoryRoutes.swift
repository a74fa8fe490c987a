// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird
import ModelRepositoryAPI
import ModelRepositoryClient
import NetRunner

/// Routes that list what the repository has, which ``ImportRoutes`` imports.
struct RepositoryRoutes: Sendable {
  let source: RepositorySource?
  let catalogue: ModelCatalogue
  let queue: WorkQueue

  func add(to group: RouterGroup<WebContext>) {
    group.get("repository") { _, _ in try await list() }
  }

  private func list() async throws -> JSONObject {
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
    var repository = source.json
    repository.set("models", offers.entries.map { json($0, source) })
    repository.set("left_off", offers.leftOff)
    return ["repository": repository]
  }

  private func json(_ entry: ModelOffers.Entry, _ source: RepositorySource) -> JSONObject {
    let imported = catalogue.imported(entry.model, from: source)
    var (offer, state) = (ModelOffer?.none, "unavailable")
    var problem: [String: String]?
    switch entry.offer {
    case .failure(let error):
      problem = ["code": "\(error.code)", "message": source.shown(error).message]
    case .success(let found):
      offer = found
      do {
        try source.check(found, known: imported?.origin)
        let isSame = imported?.origin?.manifest == "\(found.release.manifest.digest)"
        state = imported == nil ? "new" : isSame ? "imported" : "update"
      } catch {
        problem = ["code": error.code.rawValue, "message": error.message]
      }
    }
    return [
      "name": entry.model.text, "version": offer?.release.version.text,
      "size_bytes": offer?.release.size, "details": offer?.details, "state": state,
      "imported": imported.map { ["model": $0.id, "version": $0.origin?.version] },
      "problem": problem,
    ]
  }
}

extension ModelCatalogue {
  /// Returns the model that was imported from a repository under a name, whatever its identifier is
  /// here.
  func imported(_ model: RepositoryName, from source: RepositorySource) -> ServedModel? {
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
