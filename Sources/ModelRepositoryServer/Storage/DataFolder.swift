// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Files
import ModelRepositoryAPI

/// The paths in a data folder.
struct DataFolder: Sendable {
  let path: String

  var database: String { path + "/meta.sqlite" }
  /// The file with the number of changes in the database; see ``CommitWitness``.
  var commits: String { path + "/COMMITS" }
  var blobs: String { path + "/blobs" }
  var uploads: String { path + "/uploads" }
  var quarantine: String { path + "/quarantine" }
  /// The folder of the federated rounds' updates and averages.
  var rounds: String { path + "/rounds" }
  var keys: String { path + "/keys" }
  /// The folder of the signed root documents, which are public.
  var roots: String { path + "/roots" }
  var note: String { path + "/blobs.json" }

  /// Creates the folders that don't exist; `hasBlobs` says whether the folder contains the blobs.
  func make(hasBlobs: Bool = true) throws {
    let ofBlobs = hasBlobs ? [blobs + "/sha256", quarantine] : []
    for folder in [path, uploads, keys, roots] + ofBlobs { try FileSystem.makeFolder(folder) }
    for folder in (hasBlobs ? [blobs + "/sha256", blobs] : []) + [path] {
      try FileSystem.flush(folder)
    }
  }
}

/// A lock that keeps two processes from using a data folder at the same time.
///
/// The lock is held as long as the object exists, and the system releases it when the process is
/// killed. The lock file is never deleted. Otherwise, a process that waits for the old file and one
/// that creates a new file could both get a lock.
final class FolderLock: Sendable {
  private let lock: FileLock

  /// Locks a folder.
  ///
  /// - Throws: ``RepositoryError`` with the code `.locked` if another process holds the lock.
  init(_ folder: String) throws {
    let path = folder + "/LOCK"
    let lock: FileLock?
    do {
      lock = try FileLock.waitingBriefly(on: path, creatingWith: 0o600)
    } catch {
      throw RepositoryError(storage: "'\(path)' can't be created", error.reason)
    }
    guard let lock else {
      throw RepositoryError(
        .locked,
        "Another process is using the data folder '\(folder)'. Stop it first, or choose another "
          + "folder. If a server is running, send the request to the server instead, with a token "
          + "of the scope admin.")
    }
    self.lock = lock
  }
}
#endif
