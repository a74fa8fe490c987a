// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import GRDB
import ModelRepositoryAPI
import StoredRows

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
  /// Requests whose tokens were refused.
  let refusedTokens = FailedAuthentications()
  /// Blobs that must not be sent.
  let damagedBlobs = DamagedBlobs()
  /// Channels that were asked for, by model and channel.
  let channelStates = ReadCache<[RepositoryName], ChannelState>(capacity: 32 << 20)
  /// Held while a blob gets, or loses, its file and its row: these are two steps.
  let commits = AsyncLocks<BlobDigest>()
  /// The versions whose blobs were lost, as they were found at the start.
  let missing: [MissingBlob]
  /// Blobs whose files were lost, as they were found at the start.
  let lost: [String]
  /// That the database is an older one than it should be, in a sentence, if it is.
  let lostChanges: [String]
  /// What was found damaged in the database at the start, in sentences.
  let faults: [String]
  /// The keys that documents are signed with.
  let signingWatch: SigningWatch
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
    try Self.checkBeginning(folder)
    let (database, commits) = try RepositoryDatabase.open(folder.database, folder.commits)
    self.database = database
    let (knowsBlobs, isUsed) = try Self.reading(folder, database) { database in
      try (
        Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM blobs)") == true,
        Bool.fetchOne(
          database,
          sql: "SELECT EXISTS (SELECT 1 FROM blobs) OR EXISTS (SELECT 1 FROM version_blobs)")
          == true
      )
    }
    let note =
      blobs == nil ? try BlobNote.settle(folder, options.blobs, knowsBlobs: isUsed) : nil
    let isElsewhere = blobs != nil || note != nil
    guard hadBlobs || !knowsBlobs || isElsewhere else {
      throw RepositoryError(
        .storage,
        "'\(folder.blobs)/sha256' is missing, and '\(folder.database)' knows blobs in it. Is a disk "
          + "not mounted? To begin without these blobs, make that folder.")
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
    // Where nobody can tell whether something was signed, no key is made.
    signingWatch = SigningWatch(
      try SigningState.load(
        folder, signers: signers ?? [], orMake: signers != nil, now: options.now()))
    try Self.dropLostUploads(folder, database, &faults)
    // Another store than the folder is asked by `fsck` only: it may be far away.
    lost = isElsewhere ? [] : try Self.dropLostBlobs(folder, database, &faults)
    missing =
      try Self.noting(&faults) { faults in
        try database.read { try Self.missingBlobs($0, faults: &faults) }
      } ?? []
    self.faults = faults
  }

  /// Refuses a folder with blobs and without a database: all of them would become garbage.
  private static func checkBeginning(_ folder: DataFolder) throws {
    // SQLite takes what is shorter than the smallest page for a new database.
    guard try FileSystem.size(of: folder.database) ?? 0 < 512,
      try FileSystem.size(of: folder.database + "-wal") ?? 0 < 512
    else { return }
    guard try CommitWitness.changes(folder.commits) ?? 0 == 0 else {
      throw RepositoryError(
        .damaged,
        "'\(folder.database)' is missing or cut off, and '\(folder.commits)' tells that there was a "
          + "database. Restore the repository's backup; to begin with nothing, name another folder."
      )
    }
    let place = folder.blobs + "/sha256"
    let hasBlobs = try FileSystem.names(in: place).contains {
      try !FileSystem.names(in: place + "/" + $0).isEmpty
    }
    guard !hasBlobs else {
      throw RepositoryError(
        .damaged,
        "'\(folder.database)' is missing or cut off, and '\(place)' has blobs. Restore the "
          + "repository's backup; to begin without these blobs, move '\(folder.blobs)' away.")
    }
  }

  /// Reads what the start depends on.
  private static func reading<Value>(
    _ folder: DataFolder, _ database: DatabasePool, _ body: (Database) throws -> Value
  ) throws -> Value {
    do {
      return try database.read(body)
    } catch let error as DatabaseError {
      throw RepositoryDatabase.failure(error, folder.database)
    }
  }

  /// Does what the start does not depend on; where a part of the database is damaged, the rest is
  /// served.
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

  /// The store that a note names.
  static func store(
    _ note: BlobNote, _ options: ModelRepositoryOptions, mayBegin: Bool
  ) -> S3BlobStore {
    let credentials = Result {
      try options.credentials ?? S3Credentials(environment: ProcessInfo.processInfo.environment)
    }
    return S3BlobStore(
      S3Client(note.s3, credentials, retryPolicy: options.retryPolicy),
      owner: S3Owner(id: note.id, mayBegin: mayBegin), limits: options.limits)
  }

  /// The time.
  var now: Date { options.now() }

  // MARK: - After a sudden end

  /// Uploads have a row and a file that has at least the row's bytes, or neither.
  private static func dropLostUploads(
    _ folder: DataFolder, _ database: DatabasePool, _ faults: inout [String]
  ) throws {
    let before = faults.count
    let rows = try noting(&faults) { faults in
      try database.read { database in
        try database.sound(.uploads, RepositoryTable.uploads.rows, faults: &faults) {
          try UploadStore.Upload($0)
        }
      }
    }
    // The file of a row that cannot be read stays.
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

  /// Takes rows away that are without their file: such a blob can be uploaded again.
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
        try !FileSystem.exists(
          "\(folder.blobs)/sha256/\($0.hexadecimal.prefix(2))/\($0.hexadecimal)")
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

  /// What versions name and is not there.
  ///
  /// - Parameters:
  ///   - database: The database.
  ///   - faults: Gets the sentences that describe damaged rows.
  /// - Returns: The blobs, each with the versions that name it.
  /// - Throws: The database's error.
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

/// A blob that a version names and that is not there.
public struct MissingBlob: Sendable, Hashable, Codable {
  /// The blob.
  public var digest: String
  /// The model.
  public var model: String
  /// The version.
  public var version: String
}
#endif
