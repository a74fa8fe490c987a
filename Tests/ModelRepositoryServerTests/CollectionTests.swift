// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import ModelRepositoryAPI
@testable import ModelRepositoryServer

@Suite struct CollectionTests {
  @Test func `unreferenced blobs and idle uploads are deleted after a grace period`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      let record = try await client.publish("1")
      let old = try await client.upload([1, 2, 3]).digest
      let upload = try await client.begin()
      try await client.append(upload, [1, 2], from: 0)
      func collect() async throws -> CollectionReport {
        try await client.send(.post, "/v1/gc").decoded(CollectionReport.self)
      }
      #expect(try await collect() == CollectionReport())
      fixture.pass(13 * 3600)
      let young = try await client.upload([4, 5]).digest
      fixture.pass(12 * 3600)
      #expect(try await collect() == CollectionReport(blobs: 1, uploads: 1, bytes: 5))
      try await client.send(.get, "/v1/blobs/\(old)", expects: 404)
      try await client.send(.get, "/v1/blobs/\(young)")
      try await client.send(.get, "/v1/uploads/\(upload)", expects: 404)
      // A client that asks for a blob is about to use it, which restarts the grace period.
      try await client.send(.post, "/v1/uploads?digest=\(young)")
      fixture.pass(13 * 3600)
      #expect(try await collect() == CollectionReport())
      fixture.pass(400 * 24 * 3600)
      #expect(try await collect() == CollectionReport(blobs: 1, bytes: 2))
      try await client.send(.get, "/v1/blobs/\(record.manifest.digest)")
      let records = try await client.send(.get, "/v1/audit").decoded(AuditLog.self).records
      #expect(records.first?.action == "gc")
    }
  }

  @Test func `a file without a row is deleted after the grace period`() async throws {
    let fixture = try await TestRepository()
    let digest = BlobDigest(of: [42])
    let folder = "\(fixture.folder)/blobs/sha256/\(digest.hexadecimal.prefix(2))"
    try FileSystem.makeFolder(folder)
    let file = folder + "/" + digest.hexadecimal
    try Data([42]).write(to: URL(filePath: file))
    try FileManager.default.setAttributes(
      [.modificationDate: fixture.now - 3600], ofItemAtPath: file)
    try await fixture.serve { client in
      let first = try await client.send(.post, "/v1/gc").decoded(CollectionReport.self)
      #expect(first == CollectionReport())
      try await client.send(.get, "/v1/blobs/\(digest)", expects: 404)
      fixture.pass(24 * 3600)
      let second = try await client.send(.post, "/v1/gc").decoded(CollectionReport.self)
      #expect(second == CollectionReport(orphans: 1, bytes: 1))
      #expect(!FileManager.default.fileExists(atPath: file))
    }
  }

  /// Without a grace period, a collection can run between any two steps of a publication.
  @Test func `garbage collection never deletes a published blob`() async throws {
    let fixture = try await TestRepository { $0.collectionGracePeriod = -10 }
    try await fixture.serve { client in
      let published = try await withThrowingTaskGroup(of: [VersionRecord].self) { group in
        for worker in 0..<4 {
          group.addTask {
            var records: [VersionRecord] = []
            for number in 0..<8 {
              let version = "\(worker).\(number)"
              // Upload again if the collector deleted something in the meantime.
              for _ in 0..<200 {
                guard let record = try await client.publishUnlessCollected(version) else {
                  continue
                }
                records.append(record)
                break
              }
            }
            return records
          }
        }
        let isOver = Shared(false)
        let collector = Task {
          var count = 0
          while !isOver.withLock({ $0 }) {
            let report = try await client.send(.post, "/v1/gc").decoded(CollectionReport.self)
            count += report.blobs
            try? await Task.sleep(for: .milliseconds(3))
          }
          return count
        }
        let records = try await group.reduce(into: [VersionRecord]()) { $0 += $1 }
        isOver.withLock { $0 = true }
        #expect(try await collector.value > 0)
        return records
      }
      #expect(published.count == 32)
      #expect(Set(published.map(\.sequence)) == Set(1...32))
      for record in published {
        let response = try await client.send(.get, "/v1/blobs/\(record.manifest.digest)")
        let manifest = try response.decoded(VersionManifest.self)
        for file in manifest.files {
          #expect(try await client.send(.get, "/v1/blobs/\(file.digest)").bytes.count == file.size)
        }
      }
    }
    #expect(try await RepositoryStore(fixture.open()).fsck().isSound)
  }
}
#endif
