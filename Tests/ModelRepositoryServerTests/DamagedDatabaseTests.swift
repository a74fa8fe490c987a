// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import GRDB
import HTTPTypes
import HummingbirdTesting
import Logging
import ModelRepositoryAPI
import Testing

@testable import ModelRepositoryServer

/// Tests what still works with a damaged `meta.sqlite`, and what `fsck` reports.
@Suite struct DamagedDatabaseTests {
  /// Statements that damage a row, a request that reads it, and a word that `fsck` reports.
  static let damages: [(sql: String, path: String, word: String)] = [
    (
      "UPDATE versions SET published = '2026-11-23 0?:00:00.000'", "/v1/models/cats/versions",
      "published"
    ),
    (
      "UPDATE versions SET published = '2026-02-30 00:00:00.000'", "/v1/models/cats/versions",
      "published"
    ),
    (
      "UPDATE versions SET sequence = 9223372036854775807", "/v1/models/cats/versions/1.0",
      "sequence"
    ),
    ("UPDATE versions SET size = 'x'", "/v1/models/cats/versions/1.0", "size"),
    ("UPDATE versions SET withdrawn = 7", "/v1/models/cats/versions/1.0", "withdrawn"),
    (
      "UPDATE versions SET manifest_digest = 'x'", "/v1/models/cats/versions/1.0", "manifest_digest"
    ),
    ("UPDATE models SET name = 'a/b'", "/v1/models", "name"),
    (
      "UPDATE channel_documents SET document_version = 9223372036854775807",
      "/v1/models/cats/channels/stable", "document_version"
    ),
    (
      "UPDATE channel_documents SET content = x'7B'", "/v1/models/cats/channels/stable", "content"
    ),
    ("UPDATE channel_documents SET signed = 'x'", "/v1/models/cats/channels/stable", "signed"),
    ("UPDATE channel_documents SET signed = x'7B7D'", "/v1/models/cats/channels", "signed"),
    ("UPDATE channel_documents SET renewal = 9e999", "/v1/models/cats/channels/stable", "renewal"),
    (
      "UPDATE channel_documents SET cause = x'00'", "/v1/models/cats/channels/stable/history",
      "cause"
    ),
    ("UPDATE audit SET time = 1e300", "/v1/audit", "time"),
    ("UPDATE tokens SET created = x'00' WHERE name <> 'admin'", "/v1/tokens", "created"),
    ("UPDATE tokens SET scopes = '' WHERE name <> 'admin'", "/v1/tokens", "scopes"),
  ]

  @Test(arguments: damages.indices)
  func `a damaged row is reported with an ID, and everything else is served`(_ number: Int)
    async throws
  {
    let damage = Self.damages[number]
    let fixture = try await TestRepository()
    let (logger, lines) = LineHandler.makeLogger()
    _ = try await fixture.makeToken("reader", [.read])
    let blob = try await fixture.serve { client in
      try await client.publish("1.0")
      _ = try await client.set(to: "1.0", tag: nil)
      return try await client.upload(sampleBytes(100_000))
    }
    try await fixture.damageDatabase(damage.sql)
    try await fixture.serve(logger: logger) { client in
      let answer = try await client.send(.get, damage.path, expects: 500, code: "row_damaged")
      let title = try answer.decoded(ProblemDetails.self).title
      let id = try #require(title.firstMatch(of: /ID ([0-9a-f]+)/)?.1)
      #expect(lines.withLock { $0 }.contains { $0.contains(id) && $0.contains(damage.word) })
      try await client.send(.get, "/healthz")
      try await client.send(.get, "/metrics")
      #expect(try await client.send(.get, "/v1/blobs/\(blob.digest)").bytes.count == 100_000)
      try await client.publish("1.0", of: "dogs")
      try await client.send(.get, "/v1/models/dogs/versions")
    }
    let report = try await fixture.fsck()
    #expect(!report.isSound)
    #expect(report.rows.contains { $0.contains(damage.word) }, "\(report)")
  }

  @Test func `damaged rows of blobs and uploads are reported and harmless`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      try await client.upload([1, 2, 3])
      let id = try await client.begin()
      try await client.append(id, [1, 2, 3], from: 0)
    }
    let key = try FileSystem.names(in: fixture.folder + "/keys")
    try await fixture.damageDatabase(
      "UPDATE blobs SET size = 'x', used = '2020-01-01 00:00:00.000'")
    try await fixture.damageDatabase(
      "UPDATE uploads SET id = '../keys/\(key[0])', used = '2020-01-01 00:00:00.000'")
    try await fixture.serve { client in
      let digest = BlobDigest(of: [1, 2, 3])
      try await client.send(.get, "/v1/blobs/\(digest)", expects: 500, code: "row_damaged")
      // Both of these requests delete old data.
      _ = try await client.begin()
      try await client.send(.post, "/v1/gc")
      try await client.send(.get, "/metrics")
    }
    #expect(try FileSystem.names(in: fixture.folder + "/keys") == key)
    let report = try await fixture.fsck()
    #expect(report.rows.contains { $0.contains("size") })
    #expect(report.rows.contains { $0.contains("UUID") })
  }

  @Test func `sums of damaged sizes don't overflow`() async throws {
    let fixture = try await TestRepository { $0.quota = 1_000_000 }
    let id = try await fixture.serve { client in
      for seed in 0..<3 { try await client.upload(sampleBytes(100, seed: UInt8(seed))) }
      return try await client.begin()
    }
    try await fixture.damageDatabase("UPDATE blobs SET size = 9223372036854775807")
    try await fixture.serve { client in
      try await client.send(.post, "/v1/uploads", expects: 507, code: "quota_exceeded")
      try await client.append(id, [1], from: 0, expects: 507, code: "quota_exceeded")
      try await client.send(.get, "/metrics")
    }
  }

  @Test func `a version whose row contradicts its manifest is reported`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      try await client.publish("1.0")
      try await client.publish("2.0")
      _ = try await client.set(to: "1.0", tag: nil)
    }
    try await fixture.damageDatabase(
      "UPDATE versions SET size = size + 1 WHERE version = '1.0'")
    try await fixture.damageDatabase("UPDATE versions SET sequence = 7 WHERE version = '2.0'")
    let report = try await fixture.fsck()
    #expect(report.rows.contains { $0.contains("manifest") }, "\(report)")
    #expect(report.rows.contains { $0.contains("[1, 7]") }, "\(report)")
  }

  @Test func `a document whose bytes have changed isn't sent`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      try await client.publish("1.0")
      _ = try await client.set(to: "1.0", tag: nil)
    }
    // Only a date differs, so the document can still be decoded.
    let fake = try await fixture.open().database.read { database in
      let row = try #require(
        try Row.fetchOne(database, sql: "SELECT signed FROM channel_documents"))
      let signed: Data = row["signed"]
      var document = try RepositoryJSON.decode(SignedDocument.self, from: signed)
      document.document = Data(
        String(decoding: document.document, as: UTF8.self).replacing(
          "\"expires\":\"20", with: "\"expires\":\"21"
        )
        .utf8)
      return try RepositoryJSON.encode(document).map { String($0, radix: 16) }
        .map { $0.count < 2 ? "0" + $0 : $0 }.joined()
    }
    try await fixture.damageDatabase("UPDATE channel_documents SET signed = x'\(fake)'")
    try await fixture.serve { client in
      try await client.send(
        .get, "/v1/models/cats/channels/stable", expects: 500, code: "row_damaged")
    }
    #expect(try await fixture.fsck().untrusted == ["cats/stable"])
  }

  @Test(arguments: [
    "DROP TABLE audit", "DROP TABLE versions", "ALTER TABLE tokens RENAME COLUMN name TO other",
    "DELETE FROM grdb_migrations",
  ])
  func `a database with missing tables or columns is rejected at the start`(_ sql: String)
    async throws
  {
    let fixture = try await TestRepository()
    try await fixture.damageDatabase(sql)
    let error = await #expect(throws: RepositoryError.self) { _ = try await fixture.open() }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains("SQLite error") == false, "\(error?.message ?? "")")
    #expect(error?.message.contains("backup") == true)
    let report = try await fixture.fsck()
    #expect(report.database == [error?.message])
  }

  @Test(arguments: ["DROP INDEX version_blobs_digest", "CREATE TABLE other (x)"])
  func `a changed schema is reported`(_ sql: String) async throws {
    let fixture = try await TestRepository()
    try await fixture.damageDatabase(sql)
    let report = try await fixture.fsck()
    #expect(!report.database.isEmpty && !report.isSound)
  }

  @Test(arguments: ["", "This is not a database.\n", "x"])
  func `a file that isn't a database is rejected and left unchanged`(_ text: String) async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { try await $0.upload([1, 2, 3]) }
    try await fixture.damageDatabase("PRAGMA wal_checkpoint(TRUNCATE)")
    let path = fixture.folder + "/meta.sqlite"
    let content = Data(String(repeating: text, count: text.count > 1 ? 1000 : 1).utf8)
    try write(content, path)
    let error = await #expect(throws: RepositoryError.self) { _ = try await fixture.open() }
    #expect(error?.code == .damaged && error?.message.contains(path) == true)
    #expect(FileManager.default.contents(atPath: path) == content)
    #expect(try await !fixture.fsck().isSound)
  }

  @Test func `damaged pages are reported, and the rest still works`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      try await client.publish("1.0")
      _ = try await client.set(to: "1.0", tag: nil)
    }
    // This leaves no unused pages.
    try await fixture.damageDatabase("VACUUM")
    try await fixture.damageDatabase("PRAGMA wal_checkpoint(TRUNCATE)")
    let path = fixture.folder + "/meta.sqlite"
    let content = try Data(contentsOf: URL(filePath: path))
    // The header has the number of pages in use. The file may be longer.
    let pages = content[28..<32].reduce(0) { $0 << 8 + Int($1) }
    var unnoticed: [Int] = []
    for page in 1..<pages {
      var damaged = content
      damaged.resetBytes(in: page * 4096..<(page + 1) * 4096)
      try write(damaged, path)
      do {
        try await fixture.serve { client in
          try await client.with(nil).send(.get, "/healthz")
          _ = try await client.execute(uri: "/v1/models", method: .get)
        }
      } catch let error as RepositoryError {
        #expect(error.code == .damaged || error.code == .storage)
      }
      _ = try? await fixture.open()
      try write(damaged, path)
      let report = try await fixture.fsck()
      if report.isSound { unnoticed.append(page) }
    }
    // Damage to a page that nothing uses can't be detected.
    #expect(unnoticed.count <= 1, "\(unnoticed)")
  }

  /// Replaces the database's file and removes its log files.
  private func write(_ content: Data, _ path: String) throws {
    for suffix in ["", "-wal", "-shm"] { try FileSystem.remove(path + suffix) }
    try content.write(to: URL(filePath: path))
  }
}
#endif
