// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import GRDB
import ModelRepositoryAPI

/// Copies of data folders; all of it blocks.
///
/// A copy is made beside its place and gets its name when it is whole.
enum RepositoryCopy {
  /// Copies a repository that is open.
  ///
  /// Nobody else changes it: the database is copied first, and what it names is not collected.
  static func backup(_ repository: Repository, to path: String) throws {
    try make(path) { fresh in
      let copy = try DatabaseQueue(path: fresh.database)
      try repository.database.backup(to: copy)
      try prepare(copy)
      for blob in try blobs(in: copy) {
        let (source, destination) = (
          Self.path(blob.digest, in: repository.folder), Self.path(blob.digest, in: fresh)
        )
        guard try FileSystem.size(of: source) == blob.size else { throw damaged(blob, "backed up") }
        try makeParent(of: destination)
        guard !FileSystem.link(source, to: destination) else { continue }
        try copyBlob(blob, source, destination)
      }
      try copy.close()
      try copyKeys(repository.folder, fresh)
    }
  }

  /// Copies a backup, and checks it.
  static func restore(from backup: DataFolder, to path: String) throws {
    guard try FileSystem.size(of: backup.database) != nil else {
      throw RepositoryError(.storage, "'\(backup.path)' is no backup: it has no meta.sqlite.")
    }
    let lock = try lockUnlessReadOnly(backup.path)
    defer { withExtendedLifetime(lock) {} }
    try make(path) { fresh in
      for suffix in ["", "-wal"] where try FileSystem.size(of: backup.database + suffix) != nil {
        try FileManager.default.copyItem(
          atPath: backup.database + suffix, toPath: fresh.database + suffix)
      }
      let copy = try DatabaseQueue(path: fresh.database)
      let faults = try copy.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
      guard faults == ["ok"] else {
        throw RepositoryError(.storage, "The backup's database is damaged: \(faults.prefix(3)).")
      }
      try prepare(copy)
      for blob in try blobs(in: copy) {
        let (source, destination) = (
          Self.path(blob.digest, in: backup), Self.path(blob.digest, in: fresh)
        )
        guard try FileSystem.size(of: source) == blob.size else { throw damaged(blob, "restored") }
        try makeParent(of: destination)
        try copyBlob(blob, source, destination)
      }
      try copy.close()
      try copyKeys(backup, fresh)
    }
  }

  /// A backup may be on a disk that cannot be written: then nobody else changes it, either.
  private static func lockUnlessReadOnly(_ path: String) throws -> FolderLock? {
    do {
      return try FolderLock(path)
    } catch let error as RepositoryError where error.code == .storage {
      return nil
    }
  }

  private static func make(_ path: String, _ body: (DataFolder) throws -> Void) throws {
    guard try FileSystem.size(of: path) == nil, try FileSystem.names(in: path).isEmpty else {
      throw RepositoryError(.invalidOption, "'\(path)' is not empty. Name another folder.")
    }
    let path = path.hasSuffix("/") ? String(path.dropLast()) : path
    let fresh = DataFolder(path: "\(path).partial-\(UUID().uuidString)")
    do {
      try fresh.make()
      try body(fresh)
      for folder in try FileSystem.names(in: fresh.blobs + "/sha256") {
        try FileSystem.flush(fresh.blobs + "/sha256/" + folder)
      }
      for path in [fresh.blobs + "/sha256", fresh.blobs, fresh.database, fresh.keys, fresh.path] {
        try FileSystem.flush(path)
      }
      // An empty folder is replaced.
      try FileSystem.rename(fresh.path, to: path)
      try FileSystem.flush(URL(filePath: path).deletingLastPathComponent().path)
    } catch {
      try? FileManager.default.removeItem(atPath: fresh.path)
      throw error as? RepositoryError
        ?? RepositoryError(
          .storage, "'\(path)' cannot be made: \(FileSystem.reason(for: error)).")
    }
  }

  /// Uploads under way are not copied, and all of the database is in one file.
  private static func prepare(_ database: DatabaseQueue) throws {
    try database.writeWithoutTransaction { database in
      try database.execute(sql: "DELETE FROM uploads")
      try database.execute(sql: "PRAGMA journal_mode = DELETE")
    }
  }

  private static func blobs(in database: DatabaseQueue) throws -> [BlobReference] {
    try database.read { database in
      try Row.fetchAll(database, sql: "SELECT digest, size FROM blobs").compactMap { row in
        BlobDigest("sha256:" + (row["digest"] as String)).map {
          BlobReference(digest: $0, size: row["size"])
        }
      }
    }
  }

  private static func path(_ digest: BlobDigest, in folder: DataFolder) -> String {
    "\(folder.blobs)/sha256/\(digest.hexadecimal.prefix(2))/\(digest.hexadecimal)"
  }

  private static func makeParent(of path: String) throws {
    try FileSystem.makeFolder(URL(filePath: path).deletingLastPathComponent().path)
  }

  /// Copies the bytes, and looks at the copy.
  private static func copyBlob(
    _ blob: BlobReference, _ source: String, _ destination: String
  ) throws {
    try FileManager.default.copyItem(atPath: source, toPath: destination)
    try FileSystem.flush(destination)
    let hash = try UploadFile.hash(of: destination, count: blob.size)
    guard BlobDigest(hash.finalize()) == blob.digest else { throw damaged(blob, "copied") }
  }

  private static func copyKeys(_ source: DataFolder, _ destination: DataFolder) throws {
    for name in try FileSystem.names(in: source.keys) where name.hasSuffix(".key") {
      let path = destination.keys + "/" + name
      try FileManager.default.copyItem(atPath: source.keys + "/" + name, toPath: path)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      try FileSystem.flush(path)
    }
  }

  private static func damaged(_ blob: BlobReference, _ what: String) -> RepositoryError {
    RepositoryError(
      .storage,
      "The blob \(blob.digest) is missing or damaged, and cannot be \(what). See 'fsck'.")
  }
}
