// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Files
import Foundation
import GRDB
import Hummingbird
import Logging
import ModelRepositoryAPI
import NIOCore
import NIOPosix
import StoredRows
import Synchronization
import WebServing

/// The routes of the server.
struct Routes: Sendable {
  private let lastReady = LastReady()
  let repository: Repository
  let uploads: UploadStore
  let rounds: RoundStore
  let access: Access
  let metrics: ServerMetrics

  func add(to router: Router<WebContext>) {
    addHealth(to: router)
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

  /// Adds the routes that monitors use to check the server's health.
  func addHealth(to router: Router<WebContext>) {
    router.get("healthz") { _, _ in Self.plain("ok\n") }
    router.get("readyz") { _, context in try await readiness(context) }
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

  private static func plain(_ text: String) -> Response {
    .data(text.utf8, type: "text/plain; charset=utf-8", headers: [.cacheControl: "no-store"])
  }

  /// Checks that the database and the disk are writable and have space, and that the blobs are
  /// reachable.
  private func readiness(_ context: WebContext) async throws -> Response {
    // Anybody may send this request, so the result is checked at most once a second.
    let reason = try await lastReady.reason { try await unreadiness(context) }
    guard let reason else { return Self.plain("ready\n") }
    throw Problem(.serviceUnavailable, "not_ready", reason, headers: [.retryAfter: "10"])
  }

  /// Returns the reason why the server can't work; nil if it can.
  private func unreadiness(_ context: WebContext) async throws -> String? {
    repository.reloadChangedKeys()
    if let problem = repository.signingWatch.withLock({ $0.problem }) {
      context.logger.error("\(problem)")
      return "The signing keys can't be used."
    }
    let (folder, minimum) = (repository.folder, repository.options.minimumFreeBytes)
    let probe = folder.path + "/.probe-\(UUID().uuidString)"
    do {
      try await repository.database.write { try $0.execute(sql: "PRAGMA user_version = 0") }
      try await NIOThreadPool.singleton.runIfActive {
        defer { try? FileSystem.remove(probe) }
        try Data("ready\n".utf8).write(to: URL(filePath: probe))
        try FileSystem.flush(probe)
      }
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      return "The database or the disk can't be written."
    }
    let free = try await freeBytes(at: folder.path) ?? .max
    guard free >= minimum else {
      return "The disk has \(free) bytes left, but at least \(minimum) are required."
    }
    do {
      try await repository.blobs.check()
    } catch let error as RepositoryError {
      context.logger.error("the blob store failed: \(error)")
      return "The blobs can't be reached."
    }
    return nil
  }

  private func gauges() async throws -> [RequestMetrics.Series] {
    typealias Series = RequestMetrics.Series
    let free = try await freeBytes(at: repository.folder.path) ?? 0
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

  private func freeBytes(at path: String) async throws -> Int? {
    try await NIOThreadPool.singleton.runIfActive { try? FileOperations.room(at: path).free }
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

/// The last readiness result, which is reused for a second.
private final class LastReady: Sendable {
  private let state = Mutex<(time: ContinuousClock.Instant, reason: String?)?>(nil)
  private let lock = AsyncLock()

  /// Returns the last result if it is less than a second old, and checks again otherwise.
  ///
  /// If several callers ask at once, only one of them runs the check.
  func reason(_ find: () async throws -> String?) async throws -> String? {
    try await lock.withLock {
      if let last = state.withLock({ $0 }), .now - last.time < .seconds(1) { return last.reason }
      let reason = try await find()
      state.withLock { $0 = (.now, reason) }
      return reason
    }
  }
}
#endif
