// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Crypto
import Foundation
import GRDB
import ModelRepositoryAPI
import NIOCore

extension RepositoryCopy {
  /// How many blobs come from another machine at once.
  private static let downloads = 8

  /// Copies a repository, which a server may use meanwhile.
  ///
  /// The database is copied first, as it is at one moment, and then the blobs that it knows. What a
  /// version names is never collected; a blob that no version names may go before it is copied, and
  /// is then as good as collected before that moment.
  ///
  /// - Parameters:
  ///   - options: The folder, and who asks the store of its blobs.
  ///   - path: A path where nothing is yet, or an empty folder.
  ///   - includesKeys: Whether the private keys are in it.
  /// - Throws: ``RepositoryError``.
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

  /// Gives a blob's file a second name, or copies it where the file system cannot.
  ///
  /// - Returns: Whether there is one.
  private static func link(
    _ blob: BlobReference, _ folder: DataFolder, _ fresh: DataFolder
  ) throws -> Bool {
    let (source, destination) = (path(blob.digest, in: folder), path(blob.digest, in: fresh))
    try makeParent(of: destination)
    if !FileSystem.link(source, to: destination) {
      guard try FileSystem.exists(source) else { return false }
      do {
        try copyBlob(blob, source, destination)
      } catch {
        // It may have gone in between.
        guard try FileSystem.exists(source) else { return false }
        throw error
      }
    }
    // Of the link: the other name may be another file by now.
    guard try FileSystem.size(of: destination) == blob.size else {
      throw damaged(blob, "backed up")
    }
    return true
  }

  /// Copies blobs from another machine.
  ///
  /// - Returns: Those that are not there.
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

  /// Copies a blob from another machine, reading every byte.
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
        // Collected, or replaced by the same bytes, while it was read.
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

  /// Takes out of a copy what was collected while it was made.
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
