// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Crypto
import Files
import Foundation
import GRDB
import ModelRepositoryAPI
import NIOCore
import NIOPosix
import StoredRows

/// Copies of data folders.
///
/// A copy is made next to its destination and renamed when it is complete.
enum RepositoryCopy {
  /// Creates a folder that gets its final name when the body has filled it, and is deleted
  /// otherwise.
  ///
  /// The body's errors are converted to ``RepositoryError``, except `CancellationError`.
  static func make<Result: Sendable>(
    _ path: String, hasBlobs: Bool, _ body: (DataFolder) async throws -> Result
  ) async throws -> Result {
    let path = path.hasSuffix("/") ? String(path.dropLast()) : path
    let fresh = DataFolder(path: "\(path).partial-\(UUID().uuidString)")
    do {
      try await blocking {
        guard try FileSystem.size(of: path) == nil, try FileSystem.names(in: path).isEmpty else {
          throw RepositoryError(.invalidOption, "'\(path)' isn't empty. Choose another folder.")
        }
        try fresh.make(hasBlobs: hasBlobs)
      }
      let result = try await body(fresh)
      try await blocking {
        let parts = hasBlobs ? try FileSystem.names(in: fresh.blobs + "/sha256") : []
        for part in parts { try FileSystem.flush(fresh.blobs + "/sha256/" + part) }
        for path in (hasBlobs ? [fresh.blobs + "/sha256", fresh.blobs] : [])
          + [fresh.database, fresh.keys, fresh.roots, fresh.path]
        {
          try FileSystem.flush(path)
        }
        // The rename replaces an empty folder.
        try FileSystem.rename(fresh.path, to: path)
        try FileSystem.flush(URL(filePath: path).deletingLastPathComponent().path)
      }
      return result
    } catch {
      // The thread pool isn't used here, because it does nothing for a cancelled task.
      try? FileManager.default.removeItem(atPath: fresh.path)
      if error is CancellationError { throw error }
      if error is DatabaseError || error is DamagedRow {
        throw RepositoryError(
          .damaged,
          "'\(path)' can't be created, because the original's database is damaged: "
            + "\(RepositoryDatabase.sentence(error)) 'repository fsck' lists all damage.")
      }
      throw error as? RepositoryError
        ?? RepositoryError(storage: "'\(path)' can't be created", FileSystem.reason(for: error))
    }
  }

  /// Runs blocking work on a thread pool, so that it doesn't block the threads that all tasks
  /// share.
  static func blocking<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await NIOThreadPool.singleton.runIfActive(work)
  }

  /// Deletes the uploads from a copy of the database, and puts all of its data into one file.
  static func prepare(_ database: DatabaseQueue) throws {
    try database.writeWithoutTransaction { database in
      if try database.tableExists("seals") { try RowChecksums.keep(database) }
      try database.execute(sql: "DELETE FROM uploads")
      try database.execute(sql: "PRAGMA journal_mode = DELETE")
    }
  }

  static func blobs(in database: DatabaseQueue) throws -> [BlobReference] {
    try database.read { database in
      try Row.fetchAll(database, sql: "SELECT digest, size FROM blobs ORDER BY digest").map {
        try CheckedRow($0, of: .blobs).blob()
      }
    }
  }

  static func missingBlobs(in copy: DatabaseQueue) throws -> [MissingBlob] {
    var faults: [String] = []
    return try copy.read { try Repository.missingBlobs($0, faults: &faults) }
  }

  static func path(_ digest: BlobDigest, in folder: DataFolder) -> String {
    "\(folder.blobs)/sha256/\(digest.hexadecimal.prefix(2))/\(digest.hexadecimal)"
  }

  static func makeParent(of path: String) throws {
    try FileSystem.makeFolder(URL(filePath: path).deletingLastPathComponent().path)
  }

  /// Copies a blob's file and verifies the copy.
  static func copyBlob(
    _ blob: BlobReference, _ source: String, _ destination: String
  ) throws {
    try FileManager.default.copyItem(atPath: source, toPath: destination)
    try FileSystem.flush(destination)
    let hash = try UploadFile.hash(of: destination, count: blob.size)
    guard BlobDigest(hash.finalize()) == blob.digest else { throw damaged(blob, "copied") }
  }

  /// Copies the private keys of a folder.
  static func copyKeys(_ source: String, _ destination: DataFolder) throws {
    try copyFiles(".key", source, destination.keys, permissions: 0o600)
  }

  /// Copies the root documents, which are public.
  static func copyRoots(_ source: DataFolder, _ destination: DataFolder) throws {
    try copyFiles(".json", source.roots, destination.roots)
    _ = try RootFolder.load(destination.roots)
  }

  private static func copyFiles(
    _ suffix: String, _ source: String, _ destination: String, permissions: Int? = nil
  ) throws {
    for name in try FileSystem.names(in: source) where name.hasSuffix(suffix) {
      let path = destination + "/" + name
      try FileManager.default.copyItem(atPath: source + "/" + name, toPath: path)
      if let permissions {
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
      }
      try FileSystem.flush(path)
    }
  }

  static func damaged(_ blob: BlobReference, _ what: String) -> RepositoryError {
    RepositoryError(
      .storage,
      "The blob \(blob.digest) is missing or damaged, so it can't be \(what). Run 'repository "
        + "fsck' for details.")
  }
}

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
  ///
  /// - Returns: The blobs that versions need and that the repository had lost before.
  static func backup(
    _ options: ModelRepositoryOptions, to path: String, includesKeys: Bool
  ) async throws -> [MissingBlob] {
    let source = DataFolder(path: options.dataFolder)
    let note = try await blocking { try BlobNote.read(source) }
    let store = note.map { Repository.store($0, options, mayBegin: false) }
    try await store?.check()
    return try await make(path, hasBlobs: true) { fresh in
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
      return try await blocking { [gone] in
        try forget(gone, copy)
        try copyAverages(source, fresh, copy, "backed up")
        let missing = try missingBlobs(in: copy)
        try copy.close()
        try copyRoots(source, fresh)
        if includesKeys { try copyKeys(source.keys, fresh) }
        return missing
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
