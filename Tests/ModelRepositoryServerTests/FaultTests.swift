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
import NIOCore
import Testing

@testable import ModelRepositoryServer

/// Tests the state that remains when a step fails or the process ends between two steps.
@Suite struct FaultTests {
  @Test func `a process that ends between any two steps of a commit leaves nothing partial`()
    async throws
  {
    let fixture = try await TestRepository()
    let bytes = sampleBytes(100)
    let digest = BlobDigest(of: bytes)
    let place = "\(fixture.folder)/blobs/sha256/\(digest.hexadecimal.prefix(2))"
    func begin() async throws -> (id: String, file: String) {
      let id = try await fixture.serve { client in
        let id = try await client.begin()
        try await client.append(id, bytes, from: 0)
        return id
      }
      return (id, fixture.folder + "/uploads/" + id)
    }
    // The file has more bytes than the server acknowledged.
    var (id, file) = try await begin()
    let handle = try FileHandle(forUpdating: URL(filePath: file))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data([1, 2, 3]))
    try handle.close()
    try await fixture.serve { [id] client in
      try await client.finish(id, digest)
      #expect(try await client.send(.get, "/v1/blobs/\(digest)").bytes == bytes)
    }
    try FileManager.default.removeItem(atPath: place)

    // The file is already among the blobs, but the database doesn't have it yet.
    (id, file) = try await begin()
    try FileSystem.makeFolder(place)
    try FileSystem.rename(file, to: place + "/" + digest.hexadecimal)
    try await fixture.serve { [id] client in
      try await client.send(.get, "/v1/blobs/\(digest)", expects: 404)
      try await client.finish(id, digest, expects: 404, code: "upload_not_found")
      try await client.upload(bytes)
      #expect(try await client.send(.get, "/v1/blobs/\(digest)").bytes == bytes)
    }

    // The file has fewer bytes than the server acknowledged because the disk lied.
    (id, file) = try await begin()
    try Data(bytes[..<50]).write(to: URL(filePath: file))
    try await fixture.serve { [id] client in
      try await client.send(.get, "/v1/uploads/\(id)", expects: 404)
    }

    // This file has no row.
    try Data([1]).write(to: URL(filePath: fixture.folder + "/uploads/nobodys"))
    let report = try await RepositoryStore(fixture.open()).fsck()
    #expect(report.isSound && report.blobs == 1)
    #expect(try FileSystem.names(in: fixture.folder + "/uploads").isEmpty)
  }

  @Test func `a channel's valid document is sent although the disk can't be written`()
    async throws
  {
    let fixture = try await TestRepository()
    let day: TimeInterval = 24 * 3600
    let path = "/v1/models/cats/channels/stable"
    try await fixture.serve { client in
      try await client.publish("1.0")
      _ = try await client.set(to: "1.0", tag: nil)
      let known = try await client.send(.get, path).bytes
      func setReadOnly(_ isReadOnly: Bool) async throws {
        try await client.repository.database.writeWithoutTransaction {
          try $0.execute(sql: "PRAGMA query_only = \(isReadOnly ? 1 : 0)")
        }
      }
      // The document is valid for 30 days, and due to be signed again after 15.
      fixture.pass(16 * day)
      try await setReadOnly(true)
      #expect(try await client.send(.get, path).bytes == known)
      try await setReadOnly(false)
      #expect(try await client.document().document.documentVersion == 2)
      fixture.pass(31 * day)
      try await setReadOnly(true)
      try await client.send(.get, path, expects: 507, code: "not_stored")
      try await setReadOnly(false)
      #expect(try await client.document().document.documentVersion == 3)
      // Clients reject a document of a key that was revoked.
      let keys = try RepositoryKeys(dataFolder: fixture.folder)
      let root = SigningKey()
      let ceremony = RepositoryKeys.Ceremony(rootKeys: [root], now: fixture.now)
      _ = try keys.makeRoot(
        RootDocument.RootRole(threshold: 1, keys: [root.verificationKey]), ceremony)
      _ = try keys.rotate(to: try client.name("next"), isStolen: true, ceremony)
      try client.repository.reloadKeys()
      try await setReadOnly(true)
      try await client.send(.get, path, expects: 507, code: "not_stored")
      try await setReadOnly(false)
      #expect(try await client.document().document.root == 2)
    }
  }

  @Test func `a blob that the store rejects doesn't exist`() async throws {
    let fixture = try await TestRepository()
    let repository = try await fixture.open(blobs: FullBlobStore())
    let uploads = UploadStore(repository)
    let id = try await uploads.begin("token", size: 0).id
    let error = await #expect(throws: Problem.self) {
      try await uploads.finish(id, "token", as: BlobDigest(of: []))
    }
    #expect(error?.status.code == 507 && error?.code == "not_stored")
    #expect(error?.message.contains("No space left on device") == true)
    #expect(error?.message.contains(fixture.folder) == false)
    await #expect(throws: Problem.self) { try await uploads.upload(id, "token") }
    #expect(try FileSystem.names(in: fixture.folder + "/uploads").isEmpty)
    #expect(try await uploads.present(BlobDigest(of: [])) == nil)
  }

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "/dev/full doesn't exist."))
  func `bytes that can't be written to the disk are discarded`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      let id = try await client.begin()
      let file = fixture.folder + "/uploads/" + id
      try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "/dev/full")
      try await client.append(id, [1, 2, 3], from: 0, expects: 507, code: "not_stored")
      // The response names the disk as the cause, not a missing upload.
      try await client.send(.get, "/v1/uploads/\(id)", expects: 507, code: "not_stored")
      #expect(try FileSystem.names(in: fixture.folder + "/uploads").isEmpty)
    }
  }

  /// `TENSORIO_SMALL_DISK` is the path of a folder on a disk of a few megabytes.
  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["TENSORIO_SMALL_DISK"] != nil,
      "TENSORIO_SMALL_DISK isn't set."))
  func `a full disk loses no acknowledged blob`() async throws {
    let disk = try #require(ProcessInfo.processInfo.environment["TENSORIO_SMALL_DISK"])
    let folder = disk + "/repository-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let fixture = try await TestRepository { $0.dataFolder = folder }
    let kept = try await fixture.serve { client in
      var kept: [BlobReference] = []
      var refusals = 0
      for number in 0..<200 where refusals < 5 {
        let bytes = sampleBytes(300_000, seed: UInt8(number % 256)) + [UInt8(number % 256)]
        let headers: HTTPFields = [.authorization: "Bearer \(client.token ?? "")"]
        let begun = try await client.execute(
          uri: "/v1/uploads", method: .post, headers: headers)
        guard let id = try? begun.decoded(UploadState.self).id else {
          #expect(begun.status.code == 507, "\(begun.text)")
          refusals += 1
          continue
        }
        var range = headers
        range[.contentRange] = "bytes 0-\(bytes.count - 1)/*"
        let sent = try await client.execute(
          uri: "/v1/uploads/\(id)", method: .patch, headers: range, body: ByteBuffer(bytes: bytes))
        let done = try await client.execute(
          uri: "/v1/uploads/\(id)?digest=\(BlobDigest(of: bytes))", method: .put,
          headers: headers)
        if done.status == .created {
          kept.append(try done.decoded(BlobReference.self))
        } else {
          #expect(sent.status.code == 507 || done.status.code == 507, "\(sent.text) \(done.text)")
          refusals += 1
        }
      }
      #expect(refusals == 5 && !kept.isEmpty)
      return kept
    }
    let store = RepositoryStore(try await fixture.open())
    let report = try await store.fsck()
    #expect(report.isSound)
    for blob in kept {
      #expect(try await store.repository.blobs.size(of: blob.digest) == blob.size)
    }
  }
}

/// A store on a full disk.
private struct FullBlobStore: BlobStore {
  func put(_ file: String, as blob: BlobReference) async throws {
    throw RepositoryError(storage: "'\(file)' cannot be written", "No space left on device")
  }

  func open(_ digest: BlobDigest) async throws -> (any BlobContent)? { nil }
  func size(of digest: BlobDigest) async throws -> Int? { nil }
  func delete(_ digest: BlobDigest) async throws {}
  func quarantine(_ digest: BlobDigest) async throws {}
  func list() async throws -> [StoredBlob] { [] }
}
#endif
