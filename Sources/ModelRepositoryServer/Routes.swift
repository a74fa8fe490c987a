// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import GRDB
import Hummingbird
import ModelRepositoryAPI
import NIOCore
import StoredRows
import WebServing

/// The routes of the server.
struct Routes: Sendable {
  let repository: Repository
  let uploads: UploadStore
  let rounds: RoundStore
  let access: Access
  let metrics: ServerMetrics
  let health: HealthRoutes<Problem>

  func add(to router: Router<WebContext>) {
    health.add(to: router)
    router.get("metrics") { _, context in
      _ = try access.reader(context)
      return Response.data(metrics.text(try await gauges()).utf8, type: "text/plain; version=0.0.4")
    }
    router.get("v1/root") { _, _ in try root(nil) }
    router.get("v1/root/:version") { _, context in
      let text = try context.parameters.require("version")
      guard let version = Int(text), version > 0, "\(version)" == text else {
        throw Self.noRoot
      }
      return try root(version)
    }
    router.get("v1/keys") { _, _ -> Response in
      repository.reloadChangedKeys()
      return try .json(KeyList(keys: repository.keys.map { KeyList.Key($0.verificationKey) }))
    }
    router.get("v1/openapi.json") { _, _ -> Response in
      .data(try description().utf8, type: "application/json")
    }
    let api = router.group("v1")
    addUploads(to: api)
    addBlobs(to: api)
    addModels(to: api)
    addChannels(to: api)
    addRounds(to: api)
    addAdministration(to: api)
  }

  /// Reads the description of the API in OpenAPI 3.1; a test compares it with the routes.
  private func description() throws -> String {
    let folder = WebServer.assets(
      bundle: "TensorIO_ModelRepositoryServer.resources", installed: "repository", module: .module)
    let version = try RepositoryJSON.encode(repository.options.version)
    return try String(contentsOfFile: folder + "/openapi.json", encoding: .utf8)
      .replacing("\"VERSION\"", with: String(decoding: version, as: UTF8.self))
  }

  /// Returns a root document, which is public; a nil version returns the newest one.
  private func root(_ version: Int?) throws -> Response {
    repository.reloadChangedKeys()
    let documents = repository.signing.roots.documents
    let index = (version ?? documents.count) - 1
    guard documents.indices.contains(index) else { throw Self.noRoot }
    return .data(documents[index], type: "application/json", headers: [.cacheControl: "no-cache"])
  }

  private static var noRoot: Problem {
    Problem(.notFound, "root_not_found", "This root document doesn't exist.")
  }

  private func gauges() async throws -> [RequestMetrics.Series] {
    typealias Series = RequestMetrics.Series
    let free = try await repository.freeBytes() ?? 0
    return try await repository.database.read {
      [damaged = repository.damagedBlobs.count] database in
      let row = try Row.fetchOne(
        database,
        sql: """
          SELECT (SELECT COUNT(*) FROM blobs) AS blobs,
            (SELECT TOTAL(size) FROM blobs) AS bytes,
            (SELECT COUNT(*) FROM uploads) AS uploads, (SELECT COUNT(*) FROM models) AS models,
            (SELECT COUNT(*) FROM versions) AS versions
          """)
      guard let row = row.map({ CheckedRow($0, of: .blobs) }) else { return [] }
      return [
        Series(
          "damaged_blobs", "Blobs that are damaged, for which the server responds with 500.",
          damaged),
        Series("blobs", "Blobs in the repository.", try row.integer("blobs")),
        Series(
          "blob_bytes", "Bytes of all blobs.",
          Int(clampedSum: try row.optionalNumber("bytes") ?? 0)),
        Series("uploads", "Unfinished uploads.", try row.integer("uploads")),
        Series("models", "Models in the repository.", try row.integer("models")),
        Series("versions", "Versions in the repository.", try row.integer("versions")),
        Series("free_bytes", "Bytes that are free on the disk.", free),
      ]
    }
  }

  // MARK: - Administration

  private func addAdministration(to group: RouterGroup<WebContext>) {
    group.get("tokens") { _, context -> Response in
      try access.requireAdmin(context)
      return try .json(TokenList(tokens: try await repository.tokens()), headers: Self.secret)
    }
    group.post("tokens") { request, context -> Response in
      let token = try access.requireAdmin(context)
      let wanted = try await request.json(TokenRequest.self, repository.options)
      return try .json(
        try await repository.makeToken(wanted, by: token.id), status: .created,
        headers: Self.secret)
    }
    group.delete("tokens/:token") { _, context -> Response in
      let token = try access.requireAdmin(context)
      guard
        try await repository.revokeToken(context.parameters.get("token") ?? "", by: token.id)
      else { throw Problem(.notFound, "token_not_found", "This token doesn't exist.") }
      return Response(status: .noContent)
    }
    group.get("audit") { request, context -> Response in
      try access.requireAdmin(context)
      return try .json(
        try await repository.auditLog(
          before: request.number("before", in: 1...Int.max), since: request.time("since"),
          limit: request.number("limit", in: 1...1000) ?? 100), headers: Self.secret)
    }
    group.post("gc") { _, context -> Response in
      let token = try access.requireAdmin(context)
      return try .json(try await repository.collectGarbage(uploads, by: token.id))
    }
  }

  private static let secret: HTTPFields = [.cacheControl: "no-store"]
}

struct WebContext: ConnectionContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel
  /// The request's token, which was verified.
  var token: TokenRecord?
  let notes = RequestNotes()

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }
}
#endif
