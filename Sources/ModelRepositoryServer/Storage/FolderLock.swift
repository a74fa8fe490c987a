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

/// Keeps two processes from using a data folder at once, as long as it lives.
///
/// The system takes the lock back when a process is killed. The file stays: were it removed, a
/// process that waits for it and one that makes it anew would both have a lock.
final class FolderLock: Sendable {
  private let descriptor: CInt

  /// Locks a folder.
  ///
  /// - Throws: ``RepositoryError`` with the code `.locked` where another has it.
  init(_ folder: String) throws {
    let path = folder + "/LOCK"
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw RepositoryError(
        .storage, "'\(path)' cannot be made: \(String(cString: strerror(errno))).")
    }
    // The descriptor is closed with the lock, of which all that is to be there is there.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw RepositoryError(
        .locked,
        "Another process uses the data folder '\(folder)'. End it first, or name another folder. Beside a "
          + "running server, ask the server itself, with a token of the scope admin.")
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}
#endif
