// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import GRDB
import HTTPTypes
import HummingbirdTesting
import ModelRepositoryAPI
import Testing

@testable import ModelRepositoryServer

/// Damage that leaves valid values behind, so that only checksums can detect it.
@Suite struct ChecksumTests {
  /// Each statement writes valid values that no other row contradicts.
  @Test(arguments: [
    "UPDATE versions SET published = '2020-01-01 00:00:00.000' WHERE version = '1.0'",
    "UPDATE versions SET withdrawn = 1 WHERE version = '2.0'",
    "UPDATE blobs SET used = '2020-01-01 00:00:00.000'",
    "UPDATE models SET created = '2020-01-01 00:00:00.000'",
    "UPDATE uploads SET offset = 1",
    "UPDATE tokens SET expires = '2090-01-01 00:00:00.000' WHERE name = 'reader'",
    "UPDATE tokens SET scopes = 'admin' WHERE name = 'reader'",
    "UPDATE tokens SET name = name || char(0) || 'x' WHERE name = 'reader'",
    "UPDATE audit SET subject = 'dogs/1.0' WHERE action = 'version.publish'",
    "UPDATE channel_documents SET cause = 'renewal' WHERE document_version = 1",
    "UPDATE channel_documents SET renewal = '2090-01-01 00:00:00.000'",
    "UPDATE channel_documents SET keys = 'other' WHERE document_version = 1",
    "UPDATE versions SET checksum = 7 WHERE version = '1.0'",
    "DELETE FROM tokens WHERE name = 'reader'",
    "DELETE FROM audit WHERE id = 1",
    "DELETE FROM audit WHERE id = (SELECT MAX(id) FROM audit)",
    "DELETE FROM uploads",
    "DELETE FROM channel_documents WHERE document_version = 2",
    "DELETE FROM versions WHERE version = '3.0'",
    "INSERT INTO models (name, created) VALUES ('dogs', '2020-01-01 00:00:00.000')",
    "UPDATE seals SET row_sum = row_sum + 1 WHERE name = 'tokens'",
    "UPDATE seals SET row_count = 'x' WHERE name = 'tokens'",
    "DELETE FROM seals WHERE name = 'audit'",
    "UPDATE sqlite_sequence SET seq = seq + 1",
  ])
  func `a change to another valid value is reported`(_ sql: String) async throws {
    let fixture = try await filled()
    #expect(try await fixture.fsck().isSound)
    try await fixture.damageDatabase(sql)
    let report = try await fixture.fsck()
    #expect(!(report.rows + report.database).isEmpty, "\(report)")
    // Later changes don't hide it.
    try await fixture.serve { client in
      try await client.publish("1.0", of: "birds")
      _ = try await client.begin()
    }
    _ = try await fixture.makeToken("another", [.read])
    #expect(try await !fixture.fsck().isSound)
  }

  @Test func `every write keeps the checksums up to date`() async throws {
    let fixture = try await filled()
    try await fixture.serve { client in
      let tag = try await client.send(.get, "/v1/models/cats/channels/stable").headers[.eTag]
      _ = try await client.set(to: "2.0", tag: tag)
      try await client.send(.post, "/v1/models/cats/versions/1.0/withdraw")
      try await client.send(.post, "/v1/gc")
      let id = try await client.begin()
      try await client.append(id, [1, 2, 3], from: 0)
      try await client.send(.delete, "/v1/uploads/\(id)", expects: 204)
    }
    let token = try #require(try await fixture.open().tokens().last)
    _ = try await fixture.open().revokeToken(token.id, by: nil)
    let report = try await fixture.fsck()
    #expect(report.isSound, "\(report)")
  }

  @Test func `a damaged token is answered with 500, and other tokens still work`() async throws {
    let fixture = try await TestRepository()
    let reader = try await fixture.makeToken("reader", [.read]).secret
    try await fixture.damageDatabase(
      "UPDATE tokens SET scopes = 'admin' WHERE name = 'reader'")
    try await fixture.serve { client in
      try await client.with(reader).send(.get, "/v1/models", expects: 500, code: "row_damaged")
      try await client.with(reader).send(.get, "/v1/audit", expects: 500, code: "row_damaged")
      try await client.send(.get, "/v1/models")
      try await client.with(nil).send(.get, "/v1/models")
      try await client.publish("1.0")
      // It can be revoked, but that doesn't repair it.
      let id = try #require(reader.split(separator: ".").first)
      try await client.send(.delete, "/v1/tokens/\(id)", expects: 204)
      try await client.with(reader).send(.get, "/v1/models", expects: 500, code: "row_damaged")
    }
    #expect(try await fixture.fsck().rows.contains { $0.contains("tokens") })
  }

  @Test(arguments: [
    "UPDATE tokens SET secret_hash = 'x'", "UPDATE tokens SET scopes = 7", "DELETE FROM seals",
  ])
  func `requests without a token are served while the tokens are damaged`(_ sql: String)
    async throws
  {
    let fixture = try await filled()
    try await fixture.damageDatabase(sql)
    try await fixture.serve { client in
      let code = sql.hasPrefix("DELETE") ? 200 : 500
      try await client.send(.get, "/v1/models", expects: code)
      try await client.with(nil).send(.get, "/v1/models")
      try await client.with(nil).send(.get, "/v1/models/cats/channels/stable")
      try await client.with(nil).send(.get, "/healthz")
    }
    #expect(try await !fixture.fsck().isSound)
  }

  @Test func `an upload replaces a blob's damaged row`() async throws {
    let fixture = try await filled()
    try await fixture.serve { try await $0.upload([1, 2, 3]) }
    try await fixture.damageDatabase(
      "UPDATE blobs SET size = size + 1 WHERE size = 3")
    let damaged = try await fixture.fsck()
    #expect(damaged.wrongSizes.isEmpty && damaged.rows.count == 1, "\(damaged)")
    try await fixture.serve { client in
      let digest = BlobDigest(of: [1, 2, 3])
      try await client.send(.get, "/v1/blobs/\(digest)", expects: 500, code: "row_damaged")
      try await client.upload([1, 2, 3])
      #expect(try await client.send(.get, "/v1/blobs/\(digest)").bytes == [1, 2, 3])
    }
    let report = try await fixture.fsck()
    #expect(report.isSound, "\(report)")
  }

  @Test func `a truncated write-ahead log is reported until it is acknowledged`() async throws {
    let fixture = try await TestRepository()
    let (log, copy) = (fixture.folder + "/meta.sqlite-wal", fixture.folder + ".copy")
    defer { try? FileManager.default.removeItem(atPath: copy) }
    try await fixture.serve { client in
      try await client.publish("1.0")
      try await client.publish("2.0")
      // This is what a kill leaves: the last commits are in the log.
      try FileManager.default.copyItem(atPath: fixture.folder, toPath: copy)
    }
    #expect(try FileSystem.size(of: copy + "/meta.sqlite-wal") ?? 0 > 8192)
    try FileManager.default.removeItem(atPath: fixture.folder)
    try FileManager.default.moveItem(atPath: copy, toPath: fixture.folder)
    try FileSystem.remove(fixture.folder + "/meta.sqlite-shm")
    let size = try #require(try FileSystem.size(of: log))
    let file = try #require(FileHandle(forUpdatingAtPath: log))
    try file.truncate(atOffset: UInt64(size - 5000))
    try file.close()
    let report = try await fixture.fsck()
    #expect(report.database.contains { $0.contains("lost changes") }, "\(report)")
    try await fixture.serve { client in
      for version in ["3.0", "4.0", "5.0", "6.0"] { try await client.publish(version, of: "dogs") }
    }
    #expect(try await fixture.fsck().database.contains { $0.contains("lost changes") })
    // Follow the suggestion in the message.
    try FileSystem.remove(fixture.folder + "/COMMITS")
    let last = try await fixture.fsck()
    #expect(last.database.isEmpty, "\(last)")
  }

  @Test func `a missing database is reported if there was one before`() async throws {
    let fixture = try await TestRepository()
    _ = try await fixture.makeToken("reader", [.read])
    try await fixture.open().database.close()
    for suffix in ["", "-wal", "-shm"] {
      try FileSystem.remove(fixture.folder + "/meta.sqlite" + suffix)
    }
    let report = try await fixture.fsck()
    #expect(report.database.contains { $0.contains("COMMITS") }, "\(report)")
  }

  @Test func `a database that predates checksums gets them`() async throws {
    let fixture = try await TestRepository()
    try await fixture.open().database.close()
    let path = fixture.folder + "/meta.sqlite"
    for file in [path, path + "-wal", path + "-shm", fixture.folder + "/COMMITS"] {
      try FileSystem.remove(file)
    }
    let database = try DatabaseQueue(path: path)
    try RepositoryDatabase.migrator.migrate(database, upTo: "repository")
    try await database.write {
      try $0.execute(sql: "INSERT INTO models VALUES ('cats', '2026-11-23 09:00:00.000')")
    }
    try database.close()
    let before = try await fixture.fsck()
    #expect(
      before.database.isEmpty && !before.rows.contains { $0.contains("checksum") }, "\(before)")
    try await fixture.damageDatabase("UPDATE models SET created = '2020-01-01 00:00:00.000'")
    #expect(try await fixture.fsck().rows.contains { $0.contains("checksum") })
  }

  // MARK: - Repositories

  /// A repository with rows in every table.
  private func filled() async throws -> TestRepository {
    let fixture = try await TestRepository()
    _ = try await fixture.makeToken("reader", [.read])
    try await fixture.serve { client in
      for version in ["1.0", "2.0", "3.0"] { try await client.publish(version) }
      let tag = try await client.set(to: "1.0", tag: nil)
      _ = try await client.set(to: "2.0", tag: tag)
      let id = try await client.begin()
      try await client.append(id, [1, 2, 3], from: 0)
    }
    return fixture
  }
}
#endif
