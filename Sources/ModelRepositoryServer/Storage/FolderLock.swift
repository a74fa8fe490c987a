// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Files
import ModelRepositoryAPI

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
