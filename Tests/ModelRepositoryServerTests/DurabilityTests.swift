// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import GRDB
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import ModelRepositoryAPI
@testable import ModelRepositoryServer

@Suite struct DurabilityTests {
  @Test func `the database is set up so that commits reach the disk before a response`()
    async throws
  {
    let fixture = try await TestRepository()
    let repository = try await fixture.open()
    let (synchronous, mode) = try await repository.database.writeWithoutTransaction { database in
      (
        try Int.fetchOne(database, sql: "PRAGMA synchronous"),
        try String.fetchOne(database, sql: "PRAGMA journal_mode")
      )
    }
    // FULL
    #expect(synchronous == 2)
    #expect(mode == "wal")
  }

  @Test func `a missing folder of blobs is an error and isn't replaced by an empty one`()
    async throws
  {
    let fixture = try await TestRepository()
    let record = try await fixture.serve { try await $0.publish("1.0") }
    let (here, away) = (fixture.folder + "/blobs", fixture.folder + "/away")
    try FileManager.default.moveItem(atPath: here, toPath: away)
    await #expect(throws: RepositoryError.self) { _ = try await fixture.open() }
    #expect(!FileManager.default.fileExists(atPath: here))
    try FileManager.default.moveItem(atPath: away, toPath: here)
    try await fixture.serve { client in
      try await client.send(.get, "/v1/blobs/\(record.manifest.digest)")
    }
  }

  @Test func `a folder that can't be read is neither treated as missing nor replaced`() async throws
  {
    let fixture = try await TestRepository()
    try await fixture.serve { _ = try await $0.publish("1.0") }
    let keys = fixture.folder + "/keys"
    try FileManager.default.moveItem(atPath: keys, toPath: fixture.folder + "/away")
    // The link points to itself, so even root can't list it.
    try FileManager.default.createSymbolicLink(atPath: keys, withDestinationPath: keys)
    await #expect(throws: RepositoryError.self) { _ = try await fixture.open() }
    #expect(throws: RepositoryError.self) { try FileSystem.names(in: keys) }
    #expect(throws: RepositoryError.self) { try FileSystem.size(of: keys) }
  }

  @Test func `a file that a version references isn't collected, even if its row is lost`()
    async throws
  {
    let fixture = try await TestRepository()
    let record = try await fixture.serve { try await $0.publish("1.0") }
    try await fixture.serve { client in
      try await client.repository.database.write { try $0.execute(sql: "DELETE FROM blobs") }
      fixture.pass(48 * 3600)
      _ = try await client.send(.post, "/v1/gc")
    }
    let file = fixture.file(of: record.manifest.digest)
    #expect(FileManager.default.fileExists(atPath: file))
  }

  @Test func `a GET request with a body is rejected`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      try await client.send(.get, "/healthz", [1], expects: 400, code: "unwanted_body")
      try await client.send(.get, "/healthz")
    }
  }

  @Test func `a token can't expire after the year 9999`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      let request = TokenRequest(
        name: "x", scopes: [.read], expires: Date(timeIntervalSince1970: 253_000_000_000))
      await #expect(throws: Problem.self) {
        try await client.repository.makeToken(request, by: nil)
      }
    }
  }

  @Test func `a channel can be rolled back to the oldest of many large documents`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      try await client.publish("1.0")
      try await client.publish("2.0")
      var tag = try await client.set(to: "1.0", tag: nil)
      let text = String(repeating: "x", count: 500_000)
      for number in 0..<12 {
        var content = ChannelContent(version: try client.name("2.0"))
        content.parameters = ["text": text, "number": "\(number)"]
        tag = try #require(try await client.set(to: content, tag: tag).headers[.eTag])
      }
      let path = "/v1/models/cats/channels/stable/"
      let history = try await client.send(.get, path + "history?limit=1000")
      let revisions = try history.decoded(ChannelHistory.self).revisions
      // The response has only some of them. `before` requests the rest.
      #expect((2..<12).contains(revisions.count))
      let last = try #require(revisions.last?.documentVersion)
      let rest = try await client.send(.get, path + "history?before=\(last)&limit=1000")
      #expect(try rest.decoded(ChannelHistory.self).revisions.first?.documentVersion == last - 1)
      let answer = try await client.send(
        .post, path + "rollback?document_version=1", headers: [.ifMatch: tag])
      #expect(try await client.verified(answer).release?.version.text == "1.0")
    }
  }
}
#endif
