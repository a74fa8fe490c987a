// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import ModelRepositoryAPI
import Synchronization

/// A data folder in use: what the server's routes and the command line work on.
///
/// Nothing else may use the folder meanwhile; see ``FolderLock``.
final class Repository: Sendable {
  let folder: DataFolder
  let options: ModelRepositoryOptions
  let database: DatabasePool
  let blobs: any BlobStore
  /// Small blobs that were asked for.
  ///
  /// A blob is forgotten when its row and its file are gone.
  let smallBlobs = ReadCache<BlobDigest, MemoryBlob>(capacity: 32 << 20)
  /// How many bytes the other blobs have that were asked for, as their rows say.
  let blobSizes = ReadCache<BlobDigest, Int>(capacity: 4 << 20)
  /// Channels that were asked for, by model and channel.
  let channelStates = ReadCache<[RepositoryName], ChannelState>(capacity: 32 << 20)
  /// Held while a blob gets, or loses, its file and its row: these are two steps.
  let commits = AsyncLocks<BlobDigest>()
  /// The versions whose blobs were lost, as they were found at the start.
  let missing: [MissingBlob]
  /// Blobs whose files were lost, as they were found at the start.
  let lost: [String]
  private let signing: Mutex<[SigningKey]>
  private let lock: FolderLock

  /// Opens a folder, or makes it, and mends what a sudden end left behind.
  ///
  /// - Parameters:
  ///   - options: The folder, and the limits.
  ///   - blobs: Where the blobs are; nil for where the options and the folder say.
  /// - Throws: ``RepositoryError`` with the codes `.locked`, `.storage`, `.invalidKey` and
  ///   `.invalidOption`, where the options name another place for blobs than the folder.
  init(_ options: ModelRepositoryOptions, blobs: (any BlobStore)? = nil) throws {
    self.options = options
    folder = DataFolder(path: options.dataFolder)
    try FileSystem.makeFolder(folder.path)
    lock = try FolderLock(folder.path)
    let hadBlobs = try FileSystem.exists(folder.blobs + "/sha256")
    database = try RepositoryDatabase.open(folder.database)
    let knowsBlobs = try database.read {
      try Bool.fetchOne($0, sql: "SELECT EXISTS (SELECT 1 FROM blobs)")
    }
    let isUsed = try database.read {
      try Bool.fetchOne(
        $0,
        sql: "SELECT EXISTS (SELECT 1 FROM blobs) OR EXISTS (SELECT 1 FROM version_blobs)")
    }
    let note =
      blobs == nil
      ? try BlobNote.settle(folder, options.blobs, knowsBlobs: isUsed == true) : nil
    let isElsewhere = blobs != nil || note != nil
    guard hadBlobs || knowsBlobs != true || isElsewhere else {
      throw RepositoryError(
        .storage,
        "'\(folder.blobs)/sha256' is missing, and '\(folder.database)' knows blobs in it. Is a disk "
          + "not mounted? To begin without these blobs, make that folder.")
    }
    try folder.make(hasBlobs: !isElsewhere)
    self.blobs =
      try blobs ?? note.map { Self.store($0, options, mayBegin: isUsed != true) }
      ?? FolderBlobStore(folder.blobs, quarantine: folder.quarantine)
    signing = Mutex(try SigningKeys.load(folder.keys, orMake: true))
    try Self.dropLostUploads(folder, database)
    // Another store than the folder is asked by `fsck` only: it may be far away.
    lost = isElsewhere ? [] : try Self.dropLostBlobs(folder, database)
    missing = try database.read { try Self.missingBlobs($0) }
  }

  /// The store that a note names.
  static func store(
    _ note: BlobNote, _ options: ModelRepositoryOptions, mayBegin: Bool
  ) -> S3BlobStore {
    let credentials = Result {
      try options.credentials ?? S3Credentials(environment: ProcessInfo.processInfo.environment)
    }
    return S3BlobStore(
      S3Client(note.s3, credentials, patience: options.patience),
      owner: S3Owner(id: note.id, mayBegin: mayBegin), limits: options.limits)
  }

  /// The keys that documents are signed with.
  var keys: [SigningKey] { signing.withLock { $0 } }

  /// Reads the keys again.
  func reloadKeys() throws {
    let keys = try SigningKeys.load(folder.keys, orMake: false)
    signing.withLock { $0 = keys }
  }

  /// The time.
  var now: Date { options.now() }

  // MARK: - After a sudden end

  /// Uploads have a row and a file that has at least the row's bytes, or neither.
  private static func dropLostUploads(_ folder: DataFolder, _ database: DatabasePool) throws {
    let rows = try database.read { database in
      try Row.fetchAll(database, sql: "SELECT id, offset FROM uploads").map {
        (id: $0["id"] as String, offset: $0["offset"] as Int)
      }
    }
    var ids: Set<String> = []
    for row in rows {
      let size = try FileSystem.size(of: folder.uploads + "/" + row.id)
      if size ?? 0 >= row.offset {
        ids.insert(row.id)
      } else {
        try database.write {
          try $0.execute(sql: "DELETE FROM uploads WHERE id = ?", arguments: [row.id])
        }
      }
    }
    for name in try FileSystem.names(in: folder.uploads)
    where !ids.contains(name) {
      try FileSystem.remove(folder.uploads + "/" + name)
    }
  }

  /// Takes rows away that are without their file: such a blob can be uploaded again.
  private static func dropLostBlobs(
    _ folder: DataFolder, _ database: DatabasePool
  ) throws -> [String] {
    let lost = try database.read { database in
      try String.fetchAll(database, sql: "SELECT digest FROM blobs").filter { hexadecimal in
        try !FileSystem.exists(
          "\(folder.blobs)/sha256/\(hexadecimal.prefix(2))/\(hexadecimal)")
      }
    }
    try database.write { database in
      for hexadecimal in lost {
        try database.execute(sql: "DELETE FROM blobs WHERE digest = ?", arguments: [hexadecimal])
      }
    }
    return lost.map { "sha256:" + $0 }
  }

  /// What versions name and is not there.
  static func missingBlobs(_ database: Database) throws -> [MissingBlob] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT digest, model, version FROM version_blobs
        WHERE NOT EXISTS (SELECT 1 FROM blobs WHERE blobs.digest = version_blobs.digest)
        ORDER BY digest, model, version
        """
    ).map {
      MissingBlob(
        digest: "sha256:" + ($0["digest"] as String), model: $0["model"], version: $0["version"])
    }
  }
}

/// A blob that a version names and that is not there.
public struct MissingBlob: Sendable, Hashable, Codable {
  /// The blob.
  public var digest: String
  /// The model.
  public var model: String
  /// The version.
  public var version: String
}
