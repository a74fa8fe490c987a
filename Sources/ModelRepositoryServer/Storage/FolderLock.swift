// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelRepositoryAPI

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A lock that keeps two processes from using a data folder at the same time.
///
/// The lock is held as long as the object exists, and the system releases it when the process is
/// killed. The lock file is never deleted. Otherwise, a process that waits for the old file and one
/// that creates a new file could both get a lock.
final class FolderLock: Sendable {
  private let descriptor: CInt

  /// Locks a folder.
  ///
  /// - Throws: ``RepositoryError`` with the code `.locked` if another process holds the lock.
  init(_ folder: String) throws {
    let path = folder + "/LOCK"
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw RepositoryError(
        .storage, "'\(path)' can't be created: \(String(cString: strerror(errno))).")
    }
    // All properties are set, so `deinit` closes the descriptor if this throws.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw RepositoryError(
        .locked,
        "Another process is using the data folder '\(folder)'. Stop it first, or choose another "
          + "folder. If a server is running, send the request to the server instead, with a token "
          + "of the scope admin.")
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}
#endif
