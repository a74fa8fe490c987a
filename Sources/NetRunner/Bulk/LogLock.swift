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

/// Keeps two runs from writing the same results at once, as long as it lives.
///
/// A file beside the results is locked, not they: a person may read them at any time. The system
/// takes the lock back when a process is killed; the file then stays, and does no harm.
final class LogLock {
  private let path: String
  private let descriptor: CInt

  /// - Throws: `TensorIOError` when another run has the results.
  init(for results: String) throws {
    path = results + ".lock"
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw TensorIOError(
        .unwritableFile, "'\(path)' cannot be made: \(String(cString: strerror(errno))).")
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
