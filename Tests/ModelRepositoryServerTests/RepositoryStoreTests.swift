// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import HummingbirdTesting
import ModelRepositoryAPI
import Synchronization
import Testing

@testable import ModelRepositoryServer

@Suite struct RepositoryStoreTests {
  private func path(_ digest: BlobDigest, in folder: String) -> String {
    "\(folder)/blobs/sha256/\(digest.hexadecimal.prefix(2))/\(digest.hexadecimal)"
  }

  /// Adds two versions, a channel and a blob that no version references.
  private func fill(_ fixture: TestRepository) async throws -> BlobDigest {
    try await fixture.serve { client in
      try await client.publish("1")
      try await client.publish("2")
      _ = try await client.set(to: "1", tag: nil)
      return try await client.upload(Array("nobody's".utf8)).digest
    }
  }

  @Test func `only one process at a time can open a folder`() async throws {
    let fixture = try await TestRepository()
    let options = fixture.options
    try await fixture.serve { _ in
      let error = #expect(throws: RepositoryError.self) { try RepositoryStore(options) }
      #expect(error?.code == .locked && error?.message.contains(options.dataFolder) == true)
    }
  }

  @Test func `a folder whose lock is released within a second can be opened`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "lock-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let held = Mutex<FolderLock?>(try FolderLock(folder))
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: 0.2)
      held.withLock { $0 = nil }
    }
    _ = try FolderLock(folder)
    #expect(held.withLock { $0 == nil })
  }

  @Test func `tokens and keys can be made without a server`() async throws {
    let fixture = try await TestRepository()
    let options = fixture.options
    do {
      let store = RepositoryStore(try await fixture.open())
      let token = try await store.makeToken(TokenRequest(name: "x", scopes: [.read]))
      #expect(try await store.tokens().map(\.name) == ["admin", "x"])
      try await store.revokeToken(token.token.id)
      #expect(try await store.tokens().last?.revoked != nil)
      await #expect(throws: RepositoryError.self) { try await store.revokeToken("y") }
      let error = await #expect(throws: RepositoryError.self) {
        try await store.makeToken(TokenRequest(name: "", scopes: [.read]))
      }
      #expect(error?.code.rawValue == "invalid_token_request")
      let name = try #require(RepositoryName("next"))
      let key = try store.makeKey(name)
      #expect(Set(store.keys.map(\.id)).contains(key.id) && store.keys.count == 2)
      #expect(throws: RepositoryError.self) { try store.makeKey(name) }
    }
    let file = options.dataFolder + "/keys/signing.key"
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }

  @Test func `a folder of another program is rejected`() async throws {
    let fixture = try await TestRepository()
    let folder = fixture.folder + "/other"
    try FileSystem.makeFolder(folder)
    try Data("no database, but a text of some length".utf8)
      .write(to: URL(filePath: folder + "/meta.sqlite"))
    let error = #expect(throws: RepositoryError.self) {
      try RepositoryStore(ModelRepositoryOptions(dataFolder: folder))
    }
    #expect(error?.code == .damaged)
  }

  @Test func `every damaged byte is found, and the next upload repairs it`() async throws {
    let fixture = try await TestRepository()
    let bytes = Array("cats 1".utf8)
    _ = try await fill(fixture)
    let digest = BlobDigest(of: bytes)
    let file = URL(filePath: path(digest, in: fixture.folder))
    do {
      let store = RepositoryStore(try await fixture.open())
      let report = try await store.fsck()
      #expect(report.isSound && report.blobs == 5 && report.orphans.isEmpty)
    }
    for place in bytes.indices {
      do {
        var damaged = bytes
        damaged[place] ^= 1 << UInt8.random(in: 0..<8)
        try Data(damaged).write(to: file)
        let store = RepositoryStore(try await fixture.open())
        #expect(try await store.fsck(rehash: false).isSound)
        let report = try await store.fsck()
        #expect(report.wrongDigests == ["\(digest)"] && !report.isSound)
        #expect(report.missing.map(\.version) == ["1"])
        #expect(try FileSystem.names(in: fixture.folder + "/quarantine").count == place + 1)
        #expect(try await store.fsck().wrongDigests.isEmpty)
      }
      try await fixture.serve { client in
        try await client.send(.get, "/v1/blobs/\(digest)", expects: 404)
        try await client.upload(bytes)
      }
    }
    let store = RepositoryStore(try await fixture.open())
    #expect(try await store.fsck().isSound)
  }

  @Test func `missing, truncated and orphaned blobs and untrusted documents are found`()
    async throws
  {
    let fixture = try await TestRepository()
    _ = try await fill(fixture)
    let (one, two) = (BlobDigest(of: Array("cats 1".utf8)), BlobDigest(of: Array("cats 2".utf8)))
    try FileSystem.remove(path(one, in: fixture.folder))
    try Data([1]).write(to: URL(filePath: path(two, in: fixture.folder)))
    let stranger = BlobDigest(of: [42])
    let place = URL(filePath: path(stranger, in: fixture.folder))
    try FileSystem.makeFolder(place.deletingLastPathComponent().path)
    try Data([42]).write(to: place)
    do {
      let repository = try await fixture.open()
      #expect(repository.missing.map(\.digest) == ["\(one)"])
      let report = try await RepositoryStore(repository).fsck()
      #expect(report.lost == ["\(one)"] && report.wrongSizes == ["\(two)"])
      #expect(Set(report.missing.map(\.digest)) == ["\(one)", "\(two)"])
      #expect(report.orphans == ["\(stranger)"])
    }
    // This isn't the key that signed the document.
    try FileSystem.remove(fixture.folder + "/keys/signing.key")
    _ = try SigningKeys.make("signing", in: fixture.folder + "/keys")
    let report = try await RepositoryStore(fixture.open()).fsck(rehash: false)
    #expect(report.untrusted == ["cats/stable"])
  }

  @Test func `a restored backup gives the same responses`() async throws {
    let fixture = try await TestRepository()
    let nobodys = try await fill(fixture)
    func documents(_ fixture: TestRepository) async throws -> [[UInt8]] {
      try await fixture.serve { client in
        var answers: [[UInt8]] = []
        for path in [
          "models", "models/cats/versions", "models/cats/channels/stable", "keys", "tokens",
          "models/cats/channels/stable/history", "audit", "blobs/\(nobodys)",
        ] {
          answers.append(try await client.send(.get, "/v1/" + path).bytes)
        }
        return answers
      }
    }
    try await fixture.serve { client in
      let id = try await client.begin()
      try await client.append(id, [1, 2, 3], from: 0)
    }
    let original = try await documents(fixture)
    let (copy, restored) = (fixture.folder + "-backup", fixture.folder + "-restored")
    defer {
      for path in [copy, restored] { try? FileManager.default.removeItem(atPath: path) }
    }
    let keys = fixture.folder + "-keys"
    defer { try? FileManager.default.removeItem(atPath: keys) }
    try FileManager.default.copyItem(atPath: fixture.folder + "/keys", toPath: keys)
    do {
      let store = RepositoryStore(try await fixture.open())
      try await RepositoryStore.backup(store.repository.options, to: copy)
      await #expect(throws: RepositoryError.self) {
        try await RepositoryStore.backup(store.repository.options, to: copy)
      }
    }
    try FileManager.default.removeItem(atPath: fixture.folder)
    #expect(try FileSystem.names(in: copy + "/keys").isEmpty)
    try await RepositoryStore.restore(
      from: copy, keys: keys, ModelRepositoryOptions(dataFolder: restored))
    #expect(try FileSystem.names(in: restored + "/uploads").isEmpty)
    try FileManager.default.copyItem(atPath: restored, toPath: fixture.folder)
    #expect(try await documents(fixture) == original)
    // With its keys, the backup is a data folder itself.
    try FileManager.default.removeItem(atPath: copy + "/keys")
    try FileManager.default.copyItem(atPath: keys, toPath: copy + "/keys")
    let store = try RepositoryStore(ModelRepositoryOptions(dataFolder: copy))
    #expect(try await store.fsck().isSound)
  }

  @Test func `copies name the files that versions have lost`() async throws {
    let fixture = try await TestRepository()
    _ = try await fill(fixture)
    let (copy, restored) = (fixture.folder + "-backup", fixture.folder + "-restored")
    defer {
      for path in [copy, restored] { try? FileManager.default.removeItem(atPath: path) }
    }
    let options = try await fixture.open().options
    let digest = BlobDigest(of: Array("cats 1".utf8))
    try FileSystem.remove(path(digest, in: options.dataFolder))
    // Until the loss is known, a backup fails.
    await #expect(throws: RepositoryError.self) {
      try await RepositoryStore.backup(options, to: copy)
    }
    let missing = try await RepositoryStore(options).fsck().missing
    #expect(missing.map(\.digest) == ["\(digest)"])
    try #expect(await RepositoryStore.backup(options, to: copy) == missing)
    let found = try await RepositoryStore.restore(
      from: copy, ModelRepositoryOptions(dataFolder: restored))
    #expect(found == missing)
  }

  @Test func `a damaged backup isn't restored`() async throws {
    let fixture = try await TestRepository()
    _ = try await fill(fixture)
    let (copy, restored) = (fixture.folder + "-backup", fixture.folder + "-restored")
    defer { try? FileManager.default.removeItem(atPath: copy) }
    try await RepositoryStore.backup(fixture.open().options, to: copy)
    let digest = BlobDigest(of: Array("cats 1".utf8))
    let file = path(digest, in: copy)
    try FileSystem.remove(file)
    for bytes in [nil, [], Array("cats 3".utf8)] as [[UInt8]?] {
      if let bytes { try Data(bytes).write(to: URL(filePath: file)) }
      let error = await #expect(throws: RepositoryError.self) {
        try await RepositoryStore.restore(
          from: copy, ModelRepositoryOptions(dataFolder: restored))
      }
      #expect(error?.message.contains("\(digest)") == true)
      #expect(!FileManager.default.fileExists(atPath: restored))
    }
    await #expect(throws: RepositoryError.self) {
      try await RepositoryStore.restore(
        from: copy + "/keys", ModelRepositoryOptions(dataFolder: restored))
    }
    let rest = try FileSystem.names(in: URL(filePath: copy).deletingLastPathComponent().path)
    #expect(!rest.contains { $0.contains(".partial-") && copy.contains($0.prefix(40)) })
  }
}
#endif
