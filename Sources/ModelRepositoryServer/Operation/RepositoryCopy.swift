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
  /// Creates a folder that gets its final name when the body has filled it, and is deleted
  /// otherwise.
  ///
  /// The body's errors are converted to ``RepositoryError``, except `CancellationError`.
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

  static func blobs(in database: DatabaseQueue) throws -> [BlobReference] {
    try database.read { database in
      try Row.fetchAll(database, sql: "SELECT digest, size FROM blobs ORDER BY digest").map {
        try CheckedRow($0, of: .blobs).blob()
      }
    }
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
#endif
