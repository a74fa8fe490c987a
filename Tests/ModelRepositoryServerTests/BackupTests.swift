// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import HummingbirdTesting
import ModelRepositoryAPI
import NIOCore
import TestSupport
import Testing

@testable import ModelRepositoryServer

/// Backups of repositories that are in use or that keep their blobs elsewhere.
@Suite(.timeLimit(.minutes(10))) struct BackupTests {
  enum Place: CaseIterable {
    case folder
    case s3
  }

  static let places: [Place] = S3Peer.isThere ? Place.allCases : [.folder]

  /// A repository, and the paths of its backup and of the repository restored from it.
  private struct Fixture {
    let repository: TestRepository
    let bucket: S3Bucket?

    init(
      _ place: Place, _ change: (inout ModelRepositoryOptions) -> Void = { _ in }
    ) async throws {
      let bucket = place == .s3 ? try await S3Bucket() : nil
      self.bucket = bucket
      let blobs = try bucket.map { BlobLocation.s3(try $0.place) }
      repository = try await TestRepository {
        ($0.blobs, $0.credentials) = (blobs, bucket?.credentials)
        $0.storePolicy = S3Bucket.policy
        change(&$0)
      }
      try await repository.open().blobs.check()
    }

    var options: ModelRepositoryOptions { repository.options }
    var copy: String { repository.folder + "-copy" }
    var restored: String { repository.folder + "-restored" }

    func clear() {
      for path in [copy, restored] { try? FileManager.default.removeItem(atPath: path) }
    }
  }

  /// Returns all versions of the repository in a folder, after reading each of their blobs.
  private func versions(in folder: String) async throws -> Set<String> {
    let repository = try await TestRepository { $0.dataFolder = folder }
    let report = try await RepositoryStore(repository.open()).fsck(rehash: true)
    #expect(report.isSound && report.orphans.isEmpty, "\(report)")
    return try await repository.serve { client in
      let list = try await client.send(.get, "/v1/models/cats/versions")
      let records = try list.decoded(VersionList.self).versions
      for record in records {
        let answer = try await client.send(.get, "/v1/blobs/\(record.manifest.digest)")
        for file in try answer.decoded(VersionManifest.self).files {
          let bytes = try await client.send(.get, "/v1/blobs/\(file.digest)").bytes
          #expect(BlobDigest(of: bytes) == file.digest)
        }
      }
      return Set(records.map(\.version.text))
    }
  }

  @Test(arguments: places)
  func `a backup made during publications and garbage collections is complete`(place: Place)
    async throws
  {
    let fixture = try await Fixture(place) { $0.collectionGracePeriod = -10 }
    defer { fixture.clear() }
    let (options, copies) = (fixture.options, place == .folder ? 6 : 2)
    try await fixture.repository.serve { client in
      let published = Shared<Set<String>>([])
      let isOver = Shared(false)
      try await withThrowingTaskGroup(of: Int.self) { group in
        for worker in 0..<8 {
          group.addTask {
            var number = 0
            while !isOver.withLock({ $0 }) {
              let version = "\(worker).\(number)"
              let bytes = sampleBytes(30_000, seed: UInt8(worker)) + Array(version.utf8)
              // Upload again if the collector deleted something in the meantime.
              guard try await client.publishUnlessCollected(version, bytes: bytes) != nil else {
                continue
              }
              published.withLock { _ = $0.insert(version) }
              number += 1
            }
            return 0
          }
        }
        group.addTask {
          var collected = 0
          while !isOver.withLock({ $0 }) {
            let report = try await client.send(.post, "/v1/gc").decoded(CollectionReport.self)
            collected += report.blobs
            try? await Task.sleep(for: .milliseconds(2))
          }
          return collected
        }
        for _ in 0..<copies {
          let had = published.withLock { $0.count }
          while published.withLock({ $0.count }) < had + 8 {
            try await Task.sleep(for: .milliseconds(5))
          }
          let before = published.withLock { $0 }
          try await RepositoryStore.backup(options, to: fixture.copy)
          try await RepositoryStore.restore(
            from: fixture.copy, ModelRepositoryOptions(dataFolder: fixture.restored))
          let versions = try await versions(in: fixture.restored)
          #expect(versions.isSuperset(of: before) && before.count >= 8)
          fixture.clear()
        }
        isOver.withLock { $0 = true }
        #expect(try await group.reduce(0, +) > 0)
      }
    }
  }

  @Test func `the repository of a killed server is backed up completely`() async throws {
    let fixture = try await Fixture(.folder)
    defer { fixture.clear() }
    let killed = fixture.repository.folder + "-killed"
    defer { try? FileManager.default.removeItem(atPath: killed) }
    try await fixture.repository.serve { client in
      try await client.publish("1")
      // This is what a kill leaves: the log hasn't been written to the database yet.
      try FileManager.default.copyItem(atPath: fixture.repository.folder, toPath: killed)
    }
    let logged = try FileSystem.size(of: killed + "/meta.sqlite-wal")
    #expect(logged ?? 0 > 0)
    try await RepositoryStore.backup(ModelRepositoryOptions(dataFolder: killed), to: fixture.copy)
    #expect(try await versions(in: fixture.copy) == ["1"])
  }

  @Test(arguments: places)
  func `a backup may lack only blobs that no version references`(place: Place) async throws {
    let fixture = try await Fixture(place)
    defer { fixture.clear() }
    let (file, nobodys) = (Array("cats 1".utf8), Array("nobody's".utf8))
    try await fixture.repository.serve { client in
      try await client.publish("1")
      try await client.upload(nobodys)
    }
    func remove(_ bytes: [UInt8]) async throws {
      let digest = BlobDigest(of: bytes)
      if let bucket = fixture.bucket { return try await bucket.delete(bucket.key(digest)) }
      let folder = DataFolder(path: fixture.repository.folder)
      try FileSystem.remove(RepositoryCopy.path(digest, in: folder))
    }
    try await remove(nobodys)
    try await RepositoryStore.backup(fixture.options, to: fixture.copy)
    #expect(try await versions(in: fixture.copy) == ["1"])
    fixture.clear()
    try await remove(file)
    let error = await #expect(throws: RepositoryError.self) {
      try await RepositoryStore.backup(fixture.options, to: fixture.copy)
    }
    #expect(error?.message.contains("\(BlobDigest(of: file))") == true)
    #expect(!FileManager.default.fileExists(atPath: fixture.copy))
  }

  @Test func `a folder that isn't a repository isn't backed up`() async throws {
    let fixture = try await Fixture(.folder)
    defer { fixture.clear() }
    let nowhere = fixture.repository.folder + "/nowhere"
    await #expect(throws: RepositoryError.self) {
      try await RepositoryStore.backup(
        ModelRepositoryOptions(dataFolder: nowhere), to: fixture.copy)
    }
    #expect(!FileManager.default.fileExists(atPath: nowhere))
    #expect(!FileManager.default.fileExists(atPath: fixture.copy))
  }

  @Test(.enabled(if: S3Peer.isThere, "TENSORIO_PYTHON isn't set."))
  func `a backup is restored to S3, from a folder or from S3`() async throws {
    for place in Place.allCases {
      let fixture = try await Fixture(place)
      defer { fixture.clear() }
      try await fixture.repository.serve { client in
        for version in ["1", "2"] { try await client.publish(version) }
        _ = try await client.set(to: "2", tag: nil)
      }
      try await RepositoryStore.backup(fixture.options, to: fixture.copy, includingKeys: true)
      #expect(try !FileSystem.exists(fixture.copy + "/blobs.json"))
      let target = try await S3Bucket()
      var options = ModelRepositoryOptions(dataFolder: fixture.restored)
      options.blobs = .s3(try target.place)
      options.credentials = target.credentials
      options.storePolicy = S3Bucket.policy
      let again = options

      // After a damaged backup or a failing store, the destination is still usable.
      let digest = BlobDigest(of: Array("cats 1".utf8))
      let file = RepositoryCopy.path(digest, in: DataFolder(path: fixture.copy))
      try Data("dogs 1".utf8).write(to: URL(filePath: file))
      await #expect(throws: RepositoryError.self) {
        try await RepositoryStore.restore(from: fixture.copy, again)
      }
      #expect(try await target.list().keys.isEmpty)
      try Data("cats 1".utf8).write(to: URL(filePath: file))
      try await target.fail([
        "method": "PUT", "match": "sha256", "after": 2, "act": "status", "status": 403, "times": 9,
      ])
      let error = await #expect(throws: RepositoryError.self) {
        try await RepositoryStore.restore(from: fixture.copy, again)
      }
      #expect(error?.code == .storeUnavailable)
      #expect(!FileManager.default.fileExists(atPath: fixture.restored))
      try await target.fail()
      try await RepositoryStore.restore(from: fixture.copy, again)
      // Restoring didn't change the backup.
      #expect(try await versions(in: fixture.copy) == ["1", "2"])

      let restored = try await TestRepository {
        let now = $0.now
        $0 = again
        $0.now = now
        $0.blobs = nil
      }
      #expect(try await RepositoryStore(restored.open()).fsck().isSound)
      try await restored.serve { client in
        let answer = try await client.send(.get, "/v1/blobs/\(digest)")
        let document = try await client.document().document
        #expect(answer.text == "cats 1" && document.release?.version.text == "2")
      }
      #expect(try await target.get(target.key(digest)) == Array("cats 1".utf8))
      // A location that belongs to one repository can't be used by another.
      let taken = await #expect(throws: RepositoryError.self) {
        var options = again
        options.dataFolder = fixture.restored + "-2"
        try await RepositoryStore.restore(from: fixture.copy, options)
      }
      #expect(taken?.message.contains("another repository") == true)
    }
  }
}
#endif
