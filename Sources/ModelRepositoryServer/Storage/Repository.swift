// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import GRDB
import ModelRepositoryAPI
import StoredRows
import Synchronization
import WebServing

/// An open data folder, which the server's routes and the command line use.
///
/// No other process can use the folder at the same time; see ``FolderLock``.
final class Repository: Sendable {
  let folder: DataFolder
  let options: ModelRepositoryOptions
  let database: DatabasePool
  let blobs: any BlobStore
  /// The small blobs that were requested.
  ///
  /// A blob is removed after its row and its file were deleted.
  let smallBlobs = ReadCache<BlobDigest, MemoryBlob>(capacity: 32 << 20)
  /// The sizes in bytes, according to their rows, of the other blobs that were requested.
  let blobSizes = ReadCache<BlobDigest, Int>(capacity: 4 << 20)
  /// The requests whose tokens were refused.
  let refusedTokens = FailedAuthentications()
  /// The blobs that must not be sent.
  let damagedBlobs = DamagedBlobs()
  /// The channels that were requested, by model and channel.
  let channelStates = ReadCache<[RepositoryName], ChannelState>(capacity: 32 << 20)
  /// Locks that are held while a blob's file and row are created or deleted, which takes two steps.
  let commits = AsyncLocks<BlobDigest>()
  /// The lost blobs that versions refer to, as found at the start.
  let missing: [MissingBlob]
  /// The blobs whose files were lost, as found at the start.
  let lost: [String]
  /// The sentences that describe lost changes of the database; empty if nothing was lost.
  let lostChanges: [String]
  /// The damage that was found in the database at the start, as sentences.
  let faults: [String]
  /// The keys that sign documents.
  let signingWatch: Mutex<SigningWatch>
  private let lock: FolderLock

  /// Opens or creates a folder, and repairs what an earlier crash left behind.
  ///
  /// - Parameters:
  ///   - options: The folder and its limits.
  ///   - blobs: The blob store; nil to use the location from the options and the folder.
  /// - Throws: ``RepositoryError`` with the code `.locked`, `.storage`, `.invalidKey` or
  ///   `.invalidOption`. The last one is also thrown if the options and the folder name different
  ///   blob locations.
  init(_ options: ModelRepositoryOptions, blobs: (any BlobStore)? = nil) throws {
    self.options = options
    folder = DataFolder(path: options.dataFolder)
    try FileSystem.makeFolder(folder.path)
    lock = try FolderLock(folder.path)
    let hadBlobs = try FileSystem.exists(folder.blobs + "/sha256")
    try Self.checkBeginning(folder)
    let (database, commits) = try RepositoryDatabase.open(folder.database, folder.commits)
    self.database = database
    let (knowsBlobs, isUsed): (Bool, Bool)
    do {
      (knowsBlobs, isUsed) = try database.read { database in
        let knowsBlobs = try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM blobs)")
        let isReferred = try Bool.fetchOne(
          database, sql: "SELECT EXISTS (SELECT 1 FROM version_blobs)")
        return (knowsBlobs == true, knowsBlobs == true || isReferred == true)
      }
    } catch let error as DatabaseError {
      throw RepositoryDatabase.failure(error, folder.database)
    }
    let note =
      blobs == nil ? try BlobNote.settle(folder, options.blobs, knowsBlobs: isUsed) : nil
    let isElsewhere = blobs != nil || note != nil
    guard hadBlobs || !knowsBlobs || isElsewhere else {
      throw RepositoryError(
        .storage,
        "'\(folder.blobs)/sha256' is missing, but '\(folder.database)' lists blobs in it. Check "
          + "whether the disk is mounted. To start without these blobs, create that folder.")
    }
    try folder.make(hasBlobs: !isElsewhere)
    self.blobs =
      try blobs ?? note.map { Self.store($0, options, mayBegin: !isUsed) }
      ?? FolderBlobStore(folder.blobs, quarantine: folder.quarantine)
    var faults = [commits.fault].compactMap { $0 }
    lostChanges = faults
    let signers = try Self.noting(&faults) { _ in
      try database.read { try SigningState.signers($0) }
    }
    // If the database can't tell whether anything was signed, no key is created.
    signingWatch = Mutex(
      SigningWatch(
        try SigningState.load(
          folder, signers: signers ?? [], orMake: signers != nil, now: options.now())))
    try Self.dropLostUploads(folder, database, &faults)
    // Only `fsck` checks a remote store, because it may be far away.
    lost = isElsewhere ? [] : try Self.dropLostBlobs(folder, database, &faults)
    missing =
      try Self.noting(&faults) { faults in
        try database.read { try Self.missingBlobs($0, faults: &faults) }
      } ?? []
    self.faults = faults
  }

  /// Rejects a folder that has blobs but no database, because all of its blobs would become
  /// garbage.
  private static func checkBeginning(_ folder: DataFolder) throws {
    // SQLite treats a file that is shorter than the smallest page as a new database.
    guard try FileSystem.size(of: folder.database) ?? 0 < 512,
      try FileSystem.size(of: folder.database + "-wal") ?? 0 < 512
    else { return }
    guard try CommitWitness.changes(folder.commits) ?? 0 == 0 else {
      throw RepositoryError(
        .damaged,
        "'\(folder.database)' is missing or truncated, but '\(folder.commits)' shows that there "
          + "was a database. Restore the repository's backup. To start with an empty repository, "
          + "choose another folder.")
    }
    let blobsFolder = folder.blobs + "/sha256"
    let hasBlobs = try FileSystem.names(in: blobsFolder).contains {
      try !FileSystem.names(in: blobsFolder + "/" + $0).isEmpty
    }
    guard !hasBlobs else {
      throw RepositoryError(
        .damaged,
        "'\(folder.database)' is missing or truncated, but '\(blobsFolder)' contains blobs. "
          + "Restore the repository's backup. To start without these blobs, move "
          + "'\(folder.blobs)' away.")
    }
  }

  /// Runs a step that the start doesn't depend on, and records damage.
  ///
  /// If a part of the database is damaged, the rest is still served.
  private static func noting<Value>(
    _ faults: inout [String], _ body: (inout [String]) throws -> Value
  ) throws -> Value? {
    do {
      return try body(&faults)
    } catch let error as DatabaseError {
      faults.append(RepositoryDatabase.sentence(error))
      return nil
    }
  }

  /// Creates the store that a note describes.
  static func store(
    _ note: BlobNote, _ options: ModelRepositoryOptions, mayBegin: Bool
  ) -> S3BlobStore {
    let credentials = Result {
      try options.credentials ?? S3Credentials(environment: ProcessInfo.processInfo.environment)
    }
    return S3BlobStore(
      S3Client(note.s3, credentials, policy: options.storePolicy),
      id: note.id, mayBegin: mayBegin, limits: options.limits)
  }

  /// The current time.
  var now: Date { options.now() }

  // MARK: - Recovery after a crash

  /// Deletes the uploads whose file is missing or shorter than their row says, and files without a
  /// row.
  private static func dropLostUploads(
    _ folder: DataFolder, _ database: DatabasePool, _ faults: inout [String]
  ) throws {
    let before = faults.count
    let rows = try noting(&faults) { faults in
      try database.read { database in
        try database.sound(
          .uploads, RepositoryTable.uploads.rows, faults: &faults, UploadState.init)
      }
    }
    // If a row can't be read, it is unknown which file belongs to it, so all files stay.
    guard let rows, faults.count == before else { return }
    var ids: Set<String> = []
    for row in rows {
      let size = try FileSystem.size(of: folder.uploads + "/" + row.id)
      if size ?? 0 >= row.offset {
        ids.insert(row.id)
      } else {
        _ = try noting(&faults) { _ in
          try database.write {
            try $0.execute(sql: "DELETE FROM uploads WHERE id = ?", arguments: [row.id])
          }
        }
      }
    }
    for name in try FileSystem.names(in: folder.uploads)
    where !ids.contains(name) {
      try FileSystem.remove(folder.uploads + "/" + name)
    }
  }

  /// Deletes the rows of blobs whose file is missing, so that these blobs can be uploaded again.
  private static func dropLostBlobs(
    _ folder: DataFolder, _ database: DatabasePool, _ faults: inout [String]
  ) throws -> [String] {
    let lost = try noting(&faults) { faults in
      let digests = try database.read { database in
        try database.sound(.blobs, "SELECT digest FROM blobs", faults: &faults) {
          try $0.digest("digest")
        }
      }
      let lost = try digests.filter {
        try !FileSystem.exists(folder.blobs + "/" + $0.storedPath)
      }
      guard !lost.isEmpty else { return lost }
      try database.write { database in
        for digest in lost {
          try database.execute(
            sql: "DELETE FROM blobs WHERE digest = ?", arguments: [digest.hexadecimal])
        }
      }
      return lost
    }
    return (lost ?? []).map(\.description)
  }

  /// Returns the missing blobs that versions refer to, each with one of these versions.
  ///
  /// The descriptions of damaged rows are added to `faults`.
  static func missingBlobs(
    _ database: Database, faults: inout [String]
  ) throws -> [MissingBlob] {
    try database.sound(
      .versionBlobs,
      """
      SELECT digest, model, version FROM version_blobs
      WHERE NOT EXISTS (SELECT 1 FROM blobs WHERE blobs.digest = version_blobs.digest)
      ORDER BY digest, model, version
      """, faults: &faults
    ) {
      MissingBlob(
        digest: "\(try $0.digest("digest"))", model: try $0.name("model").text,
        version: try $0.name("version").text)
    }
  }
}

/// A missing blob that a version refers to.
public struct MissingBlob: Sendable, Hashable, Codable {
  /// The blob's digest.
  public var digest: String
  /// The version's model.
  public var model: String
  /// The version's name.
  public var version: String
}
#endif
