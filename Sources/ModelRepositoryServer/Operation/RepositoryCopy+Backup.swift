// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Crypto
import Files
import GRDB
import ModelRepositoryAPI
import NIOCore

extension RepositoryCopy {
  /// The number of simultaneous downloads from a remote store.
  private static let downloads = 8

  /// Copies a repository that a server may be using.
  ///
  /// The database is copied first, as a consistent snapshot, and then the blobs in it. Blobs that a
  /// version refers to are never collected. Any other blob may be deleted before it is copied. The
  /// copy is then the same as if the blob had been collected before the snapshot.
  ///
  /// The copy's path doesn't exist yet, or is an empty folder.
  static func backup(
    _ options: ModelRepositoryOptions, to path: String, includesKeys: Bool
  ) async throws {
    let source = DataFolder(path: options.dataFolder)
    let note = try await blocking { try BlobNote.read(source) }
    let store = note.map { Repository.store($0, options, mayBegin: false) }
    try await store?.check()
    try await make(path, hasBlobs: true) { fresh in
      let copy = try await blocking {
        let original = try RepositoryDatabase.openToRead(source.database)
        let copy = try DatabaseQueue(
          path: fresh.database, configuration: RepositoryDatabase.configuration)
        try original.backup(to: copy)
        try prepare(copy)
        return copy
      }
      var gone: [BlobReference]
      let blobs = try await blocking { try Self.blobs(in: copy) }
      if let store {
        gone = try await download(blobs, store, fresh)
      } else {
        gone = try await blocking { try blobs.filter { try !link($0, source, fresh) } }
      }
      try await blocking { [gone] in
        try forget(gone, copy)
        try copy.close()
        try copyRoots(source, fresh)
        if includesKeys { try copyKeys(source.keys, fresh) }
      }
    }
  }

  /// Links a blob's file if it exists, or copies it if the file system has no hard links.
  private static func link(
    _ blob: BlobReference, _ folder: DataFolder, _ fresh: DataFolder
  ) throws -> Bool {
    let (source, destination) = (path(blob.digest, in: folder), path(blob.digest, in: fresh))
    try makeParent(of: destination)
    if (try? FileOperations.link(source, to: destination)) == nil {
      guard try FileSystem.exists(source) else { return false }
      do {
        try copyBlob(blob, source, destination)
      } catch {
        // The file may have been deleted after the attempt to link it.
        guard try FileSystem.exists(source) else { return false }
        throw error
      }
    }
    // The size of the link is checked, because the original path may refer to another file by now.
    guard try FileSystem.size(of: destination) == blob.size else {
      throw damaged(blob, "backed up")
    }
    return true
  }

  /// Downloads blobs from a remote store, and returns those that are missing.
  private static func download(
    _ blobs: [BlobReference], _ store: S3BlobStore, _ fresh: DataFolder
  ) async throws -> [BlobReference] {
    try await withThrowingTaskGroup(of: BlobReference?.self) { group in
      var gone: [BlobReference] = []
      for (number, blob) in blobs.enumerated() {
        if number >= downloads, let one = try await group.next() { gone += [one].compactMap { $0 } }
        group.addTask {
          try await download(blob, store, path(blob.digest, in: fresh)) ? nil : blob
        }
      }
      for try await one in group { gone += [one].compactMap { $0 } }
      return gone
    }
  }

  /// Downloads a blob from a remote store if it exists, and checks every byte.
  private static func download(
    _ blob: BlobReference, _ store: S3BlobStore, _ path: String
  ) async throws -> Bool {
    try await blocking { try makeParent(of: path) }
    var attempts = 3
    while let content = try await store.open(blob.digest) {
      guard content.size == blob.size else { throw damaged(blob, "backed up") }
      let file = try await UploadFile.open(path, at: 0, hash: SHA256())
      do {
        try await content.forEachPiece(in: 0..<blob.size) { try await file.write($0) }
      } catch let error as RepositoryError where error.code == .storage && attempts > 1 {
        // The blob was collected, or replaced by the same bytes, while it was being read.
        attempts -= 1
        continue
      }
      guard BlobDigest(try await file.flush().finalize()) == blob.digest else {
        throw damaged(blob, "backed up")
      }
      return true
    }
    try await blocking { try FileSystem.remove(path) }
    return false
  }

  /// Removes the blobs that were collected during the backup from the copy's database.
  private static func forget(_ gone: [BlobReference], _ copy: DatabaseQueue) throws {
    try copy.write { database in
      for blob in gone {
        let digest = blob.digest.hexadecimal
        let isNamed = try Bool.fetchOne(
          database, sql: "SELECT EXISTS (SELECT 1 FROM version_blobs WHERE digest = ?)",
          arguments: [digest])
        guard isNamed == false else { throw damaged(blob, "backed up") }
        try database.execute(sql: "DELETE FROM blobs WHERE digest = ?", arguments: [digest])
      }
    }
  }
}
#endif
