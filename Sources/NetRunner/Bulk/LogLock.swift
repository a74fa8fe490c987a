// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Keeps other runs from writing to the same results for as long as this object exists.
///
/// The lock is held on a separate file, so that people can read the results at any time. The system
/// releases the lock when the process is killed. The lock file then remains, which is harmless.
final class LogLock {
  private let path: String
  private let descriptor: CInt

  /// Acquires the lock.
  ///
  /// - Throws: `TensorIOError` if another run holds the lock.
  init(for results: String) throws {
    path = results + ".lock"
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw TensorIOError(
        .unwritableFile, "'\(path)' cannot be created: \(String(cString: strerror(errno))).")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw TensorIOError(
        .unreadableFile,
        "Another run is writing to '\(results)'. Wait for it, or name another file.")
    }
  }

  deinit {
    unlink(path)
    close(descriptor)
  }
}
