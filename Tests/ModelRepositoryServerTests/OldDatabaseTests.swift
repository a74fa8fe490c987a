// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import GRDB
import HTTPTypes
import TestSupport
import Testing

@testable import ModelRepositoryAPI
@testable import ModelRepositoryServer

/// Data folders that an older version wrote, and that no server of this version has opened.
@Suite struct OldDatabaseTests {
  /// Creates a data folder whose database has only the tables of some migrations.
  private func make(_ folder: DataFolder, upTo migration: String) throws {
    try folder.make()
    let database = try DatabaseQueue(
      path: folder.database, configuration: RepositoryDatabase.configuration)
    try RepositoryDatabase.migrator.migrate(database, upTo: migration)
    let digest = String(repeating: "a", count: 64)
    try database.write { database in
      if try database.tableExists("seals") { try RowChecksums.keep(database) }
      try database.execute(
        sql: """
          INSERT INTO models (name, created) VALUES ('cats', '2026-11-23 09:00:00.000');
          INSERT INTO versions
            (model, version, sequence, manifest_digest, manifest_size, size, published)
          VALUES ('cats', '1.0', 1, '\(digest)', 1, 1, '2026-11-23 09:00:00.000');
          INSERT INTO audit (time, action, subject)
          VALUES ('2026-11-23 09:00:00.000', 'version.publish', 'cats/1.0');
          """)
      if try database.tableExists("rounds") { try insertRound(folder, database) }
    }
    try database.close()
  }

  private static let average: [UInt8] = [1, 2, 3]

  private func insertRound(_ folder: DataFolder, _ database: Database) throws {
    let issued = Date(timeIntervalSince1970: 1_800_000_000)
    let task = RoundTask(
      model: try #require(RepositoryName("cats")), round: try #require(RepositoryName("r")),
      base: ChannelDocument.Release(
        version: try #require(RepositoryName("1.0")), sequence: 1,
        manifest: BlobReference(digest: BlobDigest(of: []), size: 1), size: 1),
      issued: issued, deadline: issued + 60,
      plan: RoundTask.Plan(clipNorm: 1, minimumClients: 1), weights: RoundFixture.weights)
    let signed = try RepositoryJSON.encode(try SignedDocument(task, by: [SigningKey()]))
    try database.execute(
      sql: """
        INSERT INTO rounds (model, round, state, created, deadline, signed, ended)
        VALUES ('cats', 'r', 'finished', ?, ?, ?, ?)
        """, arguments: [issued, issued + 60, signed, issued])
    try FileSystem.makeFolder(folder.round(of: task))
    try FileSystem.write(Data(Self.average), to: folder.average(of: task))
  }

  @Test(arguments: ["repository", "audit-values", "checksums", "rounds"])
  func `it can be backed up, restored, started and checked`(_ migration: String) async throws {
    let temporary = FileManager.default.temporaryDirectory.appending(path: "old-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: temporary) }
    let old = DataFolder(path: temporary + "/old")
    try make(old, upTo: migration)
    let (copy, restored) = (temporary + "/copy", temporary + "/restored")
    try await RepositoryStore.backup(ModelRepositoryOptions(dataFolder: old.path), to: copy)
    try await RepositoryStore.restore(from: copy, ModelRepositoryOptions(dataFolder: restored))
    let repository = try await TestRepository { $0.dataFolder = restored }
    try await repository.serve { client in
      let list = try await client.send(.get, "/v1/models/cats/versions")
      #expect(try list.decoded(VersionList.self).versions.map(\.version.text) == ["1.0"])
      guard migration == "rounds" else { return }
      #expect(
        try await client.send(.get, "/v1/models/cats/rounds/r/average").bytes == Self.average)
    }
    let report = try await repository.fsck()
    #expect(report.isSound, "\(report)")
    // A folder itself is restored like a backup.
    try await RepositoryStore.restore(
      from: old.path, ModelRepositoryOptions(dataFolder: restored + "-2"))
  }

  @Test func `its audit log can be read after the server was started once`() async throws {
    let temporary = FileManager.default.temporaryDirectory.appending(path: "old-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: temporary) }
    for migration in ["repository", "audit-values", "checksums", "rounds"] {
      let old = DataFolder(path: temporary + "/" + migration)
      try make(old, upTo: migration)
      if !["checksums", "rounds"].contains(migration) {
        let error = await #expect(throws: RepositoryError.self) {
          try await RepositoryStore.auditLog(old.path)
        }
        #expect(error?.message.contains("Start the server once") == true)
        _ = try RepositoryStore(ModelRepositoryOptions(dataFolder: old.path))
      }
      let records = try await RepositoryStore.auditLog(old.path)
      #expect(records.contains { $0.subject == "cats/1.0" })
    }
  }

  @Test func `a database of a newer version isn't restored`() async throws {
    let temporary = FileManager.default.temporaryDirectory.appending(path: "old-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: temporary) }
    let old = DataFolder(path: temporary + "/old")
    try make(old, upTo: "rounds")
    let database = try DatabaseQueue(path: old.database)
    try await database.write {
      try $0.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('later')")
    }
    try database.close()
    let error = await #expect(throws: RepositoryError.self) {
      try await RepositoryStore.restore(
        from: old.path, ModelRepositoryOptions(dataFolder: temporary + "/restored"))
    }
    #expect(error?.message.contains("newer version") == true)
  }
}
#endif
