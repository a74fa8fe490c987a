// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelRepositoryAPI
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import ModelRepositoryServer

/// Tests that every blob store must pass.
@Suite struct BlobStoreTests {
  enum Kind {
    case folder
    case memory
    case s3
    /// Uploads in parts as soon as a blob has two bytes.
    case s3InParts
  }

  static let kinds: [Kind] = [.folder, .memory] + (S3Peer.isThere ? [.s3, .s3InParts] : [])

  /// A store, and a folder for the files that are put into it.
  private final class Fixture {
    let folder = FileManager.default.temporaryDirectory.appending(path: "blobs-\(UUID())").path
    let store: any BlobStore
    /// Changes a blob without the store's knowledge.
    let damage: (BlobReference, [UInt8]) async throws -> Void

    init(_ kind: Kind) async throws {
      try FileSystem.makeFolder(folder + "/quarantine")
      switch kind {
      case .folder:
        let blobs = folder + "/blobs"
        store = try FolderBlobStore(blobs, quarantine: folder + "/quarantine")
        damage = { blob, bytes in
          let name = blob.digest.hexadecimal
          try Data(bytes).write(to: URL(filePath: "\(blobs)/sha256/\(name.prefix(2))/\(name)"))
        }
      case .memory:
        let memory = MemoryBlobStore()
        store = memory
        damage = { memory.put($1, as: $0) }
      case .s3, .s3InParts:
        let bucket = try await S3Bucket()
        var limits = S3BlobStore.Limits()
        limits.pageNames = 1
        if kind == .s3InParts { (limits.wholeBytes, limits.partBytes) = (1, 70_000) }
        store = try bucket.store(limits: limits)
        damage = { try await bucket.put($1, bucket.key($0.digest)) }
      }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func put(_ bytes: [UInt8]) async throws -> BlobReference {
      let file = folder + "/\(UUID())"
      try Data(bytes).write(to: URL(filePath: file))
      let blob = BlobReference(digest: BlobDigest(of: bytes), size: bytes.count)
      try await store.put(file, as: blob)
      #expect(!FileManager.default.fileExists(atPath: file))
      return blob
    }
  }

  @Test(arguments: kinds, [0, 1, 1000, 600_000])
  func `a blob that was put can be read`(kind: Kind, count: Int) async throws {
    let fixture = try await Fixture(kind)
    let bytes = sampleBytes(count)
    let blob = try await fixture.put(bytes)
    #expect(try await fixture.store.size(of: blob.digest) == count)
    let content = try #require(try await fixture.store.open(blob.digest))
    #expect(content.size == count)
    var read: [UInt8] = []
    try await content.forEachPiece(in: 0..<count) { piece in
      #expect(piece.readableBytes <= blobPieceSize)
      read += piece.readableBytesView
    }
    #expect(read == bytes)
    #expect(try await fixture.store.list().map(\.blob) == [blob])
  }

  @Test(arguments: kinds)
  func `every part of a blob can be read`(kind: Kind) async throws {
    let fixture = try await Fixture(kind)
    let bytes = sampleBytes(12)
    let digest = try await fixture.put(bytes).digest
    let content = try #require(try await fixture.store.open(digest))
    for first in 0..<12 {
      for end in first...12 {
        let part = try await content.bytes(in: first..<end)
        #expect(Array(part.readableBytesView) == Array(bytes[first..<end]))
      }
    }
  }

  @Test(arguments: kinds)
  func `a blob that was never put doesn't exist`(kind: Kind) async throws {
    let fixture = try await Fixture(kind)
    let digest = BlobDigest(of: [1])
    #expect(try await fixture.store.open(digest) == nil)
    #expect(try await fixture.store.size(of: digest) == nil)
    #expect(try await fixture.store.list().isEmpty)
    try await fixture.store.delete(digest)
  }

  @Test(arguments: kinds)
  func `putting a blob again repairs a damaged one`(kind: Kind) async throws {
    let fixture = try await Fixture(kind)
    let bytes = sampleBytes(10)
    let blob = try await fixture.put(bytes)
    try await fixture.damage(blob, sampleBytes(10, seed: 1))
    _ = try await fixture.put(bytes)
    let content = try #require(try await fixture.store.open(blob.digest))
    #expect(Array(try await content.bytes(in: 0..<10).readableBytesView) == bytes)
    #expect(try await fixture.store.list().count == 1)
  }

  @Test(arguments: kinds)
  func `a reader that started before a deletion reads the blob to its end`(kind: Kind) async throws
  {
    let fixture = try await Fixture(kind)
    let bytes = sampleBytes(10)
    let blob = try await fixture.put(bytes)
    let content = try #require(try await fixture.store.open(blob.digest))
    let pieces = try await content.pieces(in: 0..<10)
    try await fixture.store.delete(blob.digest)
    #expect(try await fixture.store.open(blob.digest) == nil)
    var read: [UInt8] = []
    for try await piece in pieces { read += piece.readableBytesView }
    #expect(read == bytes)
    await readOrRefuse(content, bytes)
  }

  @Test(arguments: kinds)
  func `a reader of a blob that is replaced never gets other bytes`(kind: Kind) async throws {
    let fixture = try await Fixture(kind)
    let bytes = sampleBytes(10)
    let blob = try await fixture.put(bytes)
    let content = try #require(try await fixture.store.open(blob.digest))
    _ = try await fixture.put(bytes)
    await readOrRefuse(content, bytes)
  }

  /// Expects that reading returns the right bytes or throws a storage error.
  private func readOrRefuse(_ content: any BlobContent, _ bytes: [UInt8]) async {
    do {
      let read = try await content.bytes(in: 0..<bytes.count)
      #expect(Array(read.readableBytesView) == bytes)
    } catch let error as RepositoryError {
      #expect(error.code == .storage)
    } catch {
      Issue.record(error)
    }
  }

  @Test(arguments: kinds)
  func `a quarantined blob doesn't exist for readers`(kind: Kind) async throws {
    let fixture = try await Fixture(kind)
    let blob = try await fixture.put([1, 2, 3])
    try await fixture.store.quarantine(blob.digest)
    #expect(try await fixture.store.open(blob.digest) == nil)
    #expect(try await fixture.store.list().isEmpty)
  }

  @Test(arguments: kinds)
  func `a file with the wrong size is rejected`(kind: Kind) async throws {
    let fixture = try await Fixture(kind)
    let file = fixture.folder + "/file"
    try Data([1, 2, 3]).write(to: URL(filePath: file))
    let blob = BlobReference(digest: BlobDigest(of: [1, 2]), size: 2)
    await #expect(throws: RepositoryError.self) { try await fixture.store.put(file, as: blob) }
    #expect(try await fixture.store.open(blob.digest) == nil)
  }
}

/// A store that keeps blobs only in memory.
final class MemoryBlobStore: BlobStore {
  private struct Content: BlobContent {
    let data: [UInt8]
    var size: Int { data.count }
    func bytes(in range: Range<Int>) async throws -> ByteBuffer { ByteBuffer(bytes: data[range]) }
  }

  private let blobs = Mutex<[BlobDigest: (data: [UInt8], stored: Date)]>([:])

  func put(_ file: String, as blob: BlobReference) async throws {
    let data = Array(try Data(contentsOf: URL(filePath: file)))
    guard data.count == blob.size else { throw RepositoryError(.storage, "another size") }
    blobs.withLock { $0[blob.digest] = (data, Date()) }
    try FileSystem.remove(file)
  }

  func open(_ digest: BlobDigest) async throws -> (any BlobContent)? {
    blobs.withLock { $0[digest].map { Content(data: $0.data) } }
  }

  func put(_ data: [UInt8], as blob: BlobReference) {
    blobs.withLock { $0[blob.digest] = (data, Date()) }
  }

  func size(of digest: BlobDigest) async throws -> Int? {
    blobs.withLock { $0[digest]?.data.count }
  }

  func delete(_ digest: BlobDigest) async throws { blobs.withLock { $0[digest] = nil } }

  func quarantine(_ digest: BlobDigest) async throws { try await delete(digest) }

  func list() async throws -> [StoredBlob] {
    blobs.withLock { blobs in
      blobs.map {
        StoredBlob(
          blob: BlobReference(digest: $0, size: $1.data.count), stored: $1.stored)
      }
    }
  }
}
#endif
