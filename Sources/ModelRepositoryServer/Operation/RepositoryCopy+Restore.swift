// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Crypto
import Foundation
import GRDB
import ModelRepositoryAPI

extension RepositoryCopy {
  /// Copies a backup into a data folder and checks it.
  ///
  /// Without a folder of private keys, those in the backup are used, if it has any.
  ///
  /// - Returns: The blobs that versions need and that the backup doesn't have.
  static func restore(
    from backup: DataFolder, keys: String?, _ options: ModelRepositoryOptions
  ) async throws -> [MissingBlob] {
    let location: S3Location? = if case .s3(let location) = options.blobs { location } else { nil }
    let lock = try await blocking {
      guard try FileSystem.size(of: backup.database) != nil else {
        throw RepositoryError(
          .storage, "'\(backup.path)' isn't a backup, because it has no meta.sqlite.")
      }
      guard try BlobNote.read(backup) == nil else {
        throw RepositoryError(
          .storage,
          "'\(backup.path)' isn't a backup, because its blobs are stored elsewhere. Create a "
            + "backup of it first.")
      }
      return try lockUnlessReadOnly(backup.path)
    }
    defer { withExtendedLifetime(lock) {} }
    return try await make(options.dataFolder, hasBlobs: location == nil) { fresh in
      let (blobs, missing) = try await blocking { try copyDatabase(backup, fresh) }
      if let location {
        try await upload(blobs, backup, fresh, location, options)
      } else {
        try await blocking {
          for blob in blobs {
            let destination = path(blob.digest, in: fresh)
            try makeParent(of: destination)
            try copyChecked(blob, backup, destination)
          }
        }
      }
      try await blocking {
        try copyRoots(backup, fresh)
        try copyKeys(keys ?? backup.keys, fresh)
        guard try keys == nil || !SigningKeys.load(fresh.keys).isEmpty else {
          throw RepositoryError(.invalidOption, "'\(keys ?? "")' contains no file NAME.key.")
        }
      }
      return missing
    }
  }

  /// Copies the database, checks it, and copies the averages of rounds.
  ///
  /// - Returns: The blobs, and those that versions need and that aren't among them.
  private static func copyDatabase(
    _ backup: DataFolder, _ fresh: DataFolder
  ) throws -> (blobs: [BlobReference], missing: [MissingBlob]) {
    for suffix in ["", "-wal"] where try FileSystem.size(of: backup.database + suffix) != nil {
      try FileManager.default.copyItem(
        atPath: backup.database + suffix, toPath: fresh.database + suffix)
    }
    let copy = try DatabaseQueue(
      path: fresh.database, configuration: RepositoryDatabase.configuration)
    let faults = try copy.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
    guard faults == ["ok"] else {
      throw RepositoryError(.storage, "The backup's database is damaged: \(faults.prefix(3)).")
    }
    try RepositoryDatabase.migrate(copy, backup.database)
    // Signatures aren't verified, because the backup may have no keys.
    let report = try copy.read { DatabaseChecks($0, [], formerKeys: []).report }
    let damage = report.database + report.rows
    guard damage.isEmpty else {
      throw RepositoryError(
        .damaged,
        "The backup's database is damaged. " + damage.prefix(3).joined(separator: " ")
          + " Restore an older backup. Without one, copy the folder '\(backup.path)' itself, which "
          + "is a data folder, and use what 'repository fsck' finds intact.")
    }
    try prepare(copy)
    try copyAverages(backup, fresh, copy, "restored")
    let found = (try blobs(in: copy), try missingBlobs(in: copy))
    try copy.close()
    return found
  }

  private static func copyChecked(
    _ blob: BlobReference, _ backup: DataFolder, _ destination: String
  ) throws {
    let source = path(blob.digest, in: backup)
    guard try FileSystem.size(of: source) == blob.size else { throw damaged(blob, "restored") }
    try copyBlob(blob, source, destination)
  }

  /// Uploads the blobs to a remote store after checking that all of them are intact.
  private static func upload(
    _ blobs: [BlobReference], _ backup: DataFolder, _ fresh: DataFolder, _ location: S3Location,
    _ options: ModelRepositoryOptions
  ) async throws {
    try await blocking {
      for blob in blobs {
        let source = path(blob.digest, in: backup)
        guard try FileSystem.size(of: source) == blob.size,
          BlobDigest(try UploadFile.hash(of: source, count: blob.size).finalize()) == blob.digest
        else { throw damaged(blob, "restored") }
      }
    }
    let note = try await blocking { try BlobNote.make(location, in: fresh) }
    let store = Repository.store(note, options, mayBegin: true)
    try await store.check()
    do {
      for blob in blobs {
        // The store deletes the file that it is given, so it gets a copy.
        let file = fresh.uploads + "/" + blob.digest.hexadecimal
        try await blocking { try copyChecked(blob, backup, file) }
        try await store.put(file, as: blob)
      }
    } catch {
      // Otherwise, the location would belong to a repository that was never created.
      _ = try? await Task { try await store.leave() }.value
      throw error
    }
  }

  /// Locks a backup, unless it is on a read-only disk, where no other process can change it.
  private static func lockUnlessReadOnly(_ path: String) throws -> FolderLock? {
    do {
      return try FolderLock(path)
    } catch let error as RepositoryError where error.code == .storage {
      return nil
    }
  }
}
#endif
