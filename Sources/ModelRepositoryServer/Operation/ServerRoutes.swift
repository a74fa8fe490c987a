// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import ModelRepositoryAPI
import NIOPosix
import Synchronization

/// What operators and monitors ask for.
struct ServerRoutes: Sendable {
  let repository: Repository
  let access: Access
  let metrics: ServerMetrics
  private let lastReady = LastReady()

  init(repository: Repository, access: Access, metrics: ServerMetrics) {
    self.repository = repository
    self.access = access
    self.metrics = metrics
  }

  func add(to router: Router<WebContext>) {
    router.get("healthz") { _, _ in Self.plain("ok\n") }
    router.get("readyz") { _, _ in try await readiness() }
    router.get("metrics") { _, context in
      _ = try access.reader(context)
      return Response.data(
        metrics.text(try await gauges()).utf8, type: "text/plain; version=0.0.4")
    }
    router.get("v1/keys") { _, _ -> Response in
      try .json(KeyList(keys: repository.keys.map { KeyList.Key($0.verificationKey) }))
    }
    router.get("v1/openapi.json") { _, _ -> Response in
      try .json(OpenAPIDocument.document(version: repository.options.version))
    }
  }

  private static func plain(_ text: String) -> Response {
    .data(text.utf8, type: "text/plain; charset=utf-8", headers: [.cacheControl: "no-store"])
  }

  /// Whether the database and the disk can be written, and have room.
  private func readiness() async throws -> Response {
    func unready(_ title: String) -> Problem {
      Problem(.serviceUnavailable, "not_ready", title, headers: [.retryAfter: "10"])
    }
    // Everybody may ask; the disk is tried once a second.
    guard !lastReady.isFresh else { return Self.plain("ready\n") }
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
      throw unready("The database or the disk cannot be written.")
    }
    let free = FileSystem.freeBytes(at: folder.path) ?? .max
    guard free >= minimum else {
      throw unready("The disk has \(free) bytes left; \(minimum) are wanted.")
    }
    lastReady.renew()
    return Self.plain("ready\n")
  }

  private func gauges() async throws -> ServerMetrics.Gauges {
    var gauges = try await repository.database.read { database in
      let row = try Row.fetchOne(
        database,
        sql: """
          SELECT (SELECT COUNT(*) FROM blobs) AS blobs,
            (SELECT COALESCE(SUM(size), 0) FROM blobs) AS bytes,
            (SELECT COUNT(*) FROM uploads) AS uploads, (SELECT COUNT(*) FROM models) AS models,
            (SELECT COUNT(*) FROM versions) AS versions
          """)
      return row.map {
        ServerMetrics.Gauges(
          blobs: $0["blobs"], blobBytes: $0["bytes"], uploads: $0["uploads"],
          models: $0["models"], versions: $0["versions"])
      } ?? ServerMetrics.Gauges()
    }
    gauges.freeBytes = FileSystem.freeBytes(at: repository.folder.path) ?? 0
    return gauges
  }
}

/// When the server was last found ready.
private final class LastReady: Sendable {
  private let time = Mutex<ContinuousClock.Instant?>(nil)

  var isFresh: Bool {
    time.withLock { time in time.map { .now - $0 < .seconds(1) } ?? false }
  }

  func renew() { time.withLock { $0 = .now } }
}
