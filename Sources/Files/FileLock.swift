// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls

/// A lock on a file or a folder, which excludes other processes and other locks in this one.
///
/// The lock belongs to the open file (`flock`). It ends with the object, or when the process ends
/// for any reason, so no stale locks remain.
package final class FileLock: Sendable {
  /// Whether others may hold the lock at the same time.
  package enum Kind: Sendable {
    case shared
    case exclusive
  }

  private let file: OpenFile

  /// Locks a file or folder; the result is nil if `waits` is false and the lock isn't free.
  private init?(
    _ kind: Kind, on path: String, permissions: UInt32?, waits: Bool
  ) throws(FileError) {
    file =
      if let permissions {
        try OpenFile(lockFile: path, permissions: permissions)
      } else {
        try OpenFile(examining: path)
      }
    let operation = (kind == .shared ? LOCK_SH : LOCK_EX) | (waits ? 0 : LOCK_NB)
    while flock(file.descriptor, operation) != 0 {
      if errno == EWOULDBLOCK { return nil }
      guard errno == EINTR else { throw FileError(.locked, path) }
    }
  }

  /// Locks a file or folder exclusively, and blocks until it is free.
  package static func waiting(on path: String) throws(FileError) -> FileLock {
    while true {
      if let lock = try FileLock(.exclusive, on: path, permissions: nil, waits: true) {
        return lock
      }
    }
  }

  /// Locks a file or folder if it is free.
  ///
  /// - Parameters:
  ///   - kind: Whether others may hold the lock at the same time.
  ///   - path: The file or folder.
  ///   - permissions: The permissions of a file that is created if it is missing; nil if a missing
  ///     file is an error.
  /// - Returns: The lock, or nil if it isn't free.
  /// - Throws: ``FileError``.
  package static func trying(
    _ kind: Kind = .exclusive, on path: String, creatingWith permissions: UInt32? = nil
  ) throws(FileError) -> FileLock? {
    try FileLock(kind, on: path, permissions: permissions, waits: false)
  }

  /// Locks a file or folder exclusively if it is free, or becomes free within a second.
  ///
  /// A process that this one starts has copies of all open files until it runs its own program, so
  /// a lock that was released just now may still seem held. This blocks the thread while it waits.
  ///
  /// - Parameters:
  ///   - path: The file or folder.
  ///   - permissions: The permissions of a file that is created if it is missing; nil if a missing
  ///     file is an error.
  /// - Returns: The lock, or nil if it is still held after a second.
  /// - Throws: ``FileError``.
  package static func waitingBriefly(
    on path: String, creatingWith permissions: UInt32? = nil
  ) throws(FileError) -> FileLock? {
    for _ in 0..<50 {
      if let lock = try trying(on: path, creatingWith: permissions) { return lock }
      usleep(20_000)
    }
    return try trying(on: path, creatingWith: permissions)
  }

  /// Locks a file or folder, and waits for it without blocking a thread.
  ///
  /// - Throws: ``FileError`` or `CancellationError`.
  package static func waiting(
    _ kind: Kind = .exclusive, on path: String, creatingWith permissions: UInt32? = nil
  ) async throws -> FileLock {
    while true {
      if let lock = try trying(kind, on: path, creatingWith: permissions) { return lock }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Returns whether a file is locked.
  ///
  /// A missing file isn't locked. A file that can't be opened for another reason counts as locked.
  package static func isHeld(_ path: String) -> Bool {
    do {
      return try trying(on: path) == nil
    } catch {
      return error.number != FileError.noEntry
    }
  }
}
