// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import TensorIO

/// Keeps other runs from writing to the same results for as long as this object exists.
///
/// The lock is held on a separate file, so that people can read the results at any time. The system
/// releases the lock when the process is killed. The lock file then remains, which is harmless.
final class LogLock {
  private let path: String
  private let lock: FileLock

  init(for results: String) throws {
    path = results + ".lock"
    let lock: FileLock?
    do {
      lock = try FileLock.waitingBriefly(on: path, creatingWith: 0o644)
    } catch {
      throw TensorIOError(.unwritableFile, "'\(path)' cannot be created: \(error.reason).")
    }
    guard let lock else {
      throw TensorIOError(
        .unreadableFile,
        "Another run is writing to '\(results)'. Wait for it, or name another file.")
    }
    self.lock = lock
  }

  deinit { try? FileOperations.remove(path) }
}
