// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Crypto
import Foundation
import GRDB
import ModelRepositoryAPI
import NIOPosix
import StoredRows

/// Copies of data folders.
///
/// A copy is made next to its destination and renamed when it is complete.
enum RepositoryCopy {
  /// Creates a folder that gets its final name when it is complete, and is deleted otherwise.
  ///
  /// - Parameters:
  ///   - path: A path that doesn't exist yet, or an empty folder.
  ///   - hasBlobs: Whether the folder contains blobs.
  ///   - body: A closure that fills the folder.
  /// - Throws: ``RepositoryError``. Other errors of the body are converted to one, except
  ///   `CancellationError`.
  static func make(
    _ path: String, hasBlobs: Bool, _ body: (DataFolder) async throws -> Void
  ) async throws {
    let path = path.hasSuffix("/") ? String(path.dropLast()) : path
    let fresh = DataFolder(path: "\(path).partial-\(UUID().uuidString)")
    do {
      try await blocking {
        guard try FileSystem.size(of: path) == nil, try FileSystem.names(in: path).isEmpty else {
          throw RepositoryError(.invalidOption, "'\(path)' isn't empty. Choose another folder.")
        }
        try fresh.make(hasBlobs: hasBlobs)
      }
      try await body(fresh)
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

  /// Returns the blobs in a database.
  static func blobs(in database: DatabaseQueue) throws -> [BlobReference] {
    try database.read { database in
      try Row.fetchAll(database, sql: "SELECT digest, size FROM blobs ORDER BY digest").map {
        try CheckedRow($0, of: .blobs).blob()
      }
    }
  }

  /// The path of a blob in a folder.
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
    for name in try FileSystem.names(in: source) where name.hasSuffix(".key") {
      let path = destination.keys + "/" + name
      try FileManager.default.copyItem(atPath: source + "/" + name, toPath: path)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      try FileSystem.flush(path)
    }
  }

  /// Copies the root documents, which are public.
  static func copyRoots(_ source: DataFolder, _ destination: DataFolder) throws {
    for name in try FileSystem.names(in: source.roots) where name.hasSuffix(".json") {
      let path = destination.roots + "/" + name
      try FileManager.default.copyItem(atPath: source.roots + "/" + name, toPath: path)
      try FileSystem.flush(path)
    }
    _ = try RootFolder.load(destination.roots)
  }

  /// Creates the error for a blob that can't be copied.
  static func damaged(_ blob: BlobReference, _ what: String) -> RepositoryError {
    RepositoryError(
      .storage,
      "The blob \(blob.digest) is missing or damaged, so it can't be \(what). Run 'repository "
        + "fsck' for details.")
  }
}
#endif
