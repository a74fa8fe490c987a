// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

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

  private let descriptor: CInt

  private init(_ descriptor: CInt) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Locks a file or folder exclusively, and blocks until it is free.
  ///
  /// - Throws: ``FileFailure``.
  static func waiting(on path: String, makingFile: Bool = false) throws -> FileLock {
    let lock = FileLock(try open(path, makingFile))
    while flock(lock.descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw FileFailure("locked", path) }
    }
    return lock
  }

  /// Locks a file or folder if it is free.
  ///
  /// - Returns: The lock, or nil if it isn't free.
  /// - Throws: ``FileFailure``.
  package static func trying(
    _ kind: Kind = .exclusive, on path: String, makingFile: Bool = false
  ) throws -> FileLock? {
    let lock = FileLock(try open(path, makingFile))
    let operation = (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB
    while flock(lock.descriptor, operation) != 0 {
      if errno == EWOULDBLOCK { return nil }
      guard errno == EINTR else { throw FileFailure("locked", path) }
    }
    return lock
  }

  /// Locks a file or folder, and waits for it without blocking a thread.
  ///
  /// - Throws: ``FileFailure`` or `CancellationError`.
  static func later(
    _ kind: Kind = .exclusive, on path: String, makingFile: Bool = false
  ) async throws -> FileLock {
    while true {
      if let lock = try trying(kind, on: path, makingFile: makingFile) { return lock }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Returns whether a file is locked.
  ///
  /// A missing file isn't locked. A file that can't be opened for another reason counts as locked.
  static func isHeld(_ path: String) -> Bool {
    do {
      return try trying(on: path) == nil
    } catch {
      return (error as? FileFailure)?.number != ENOENT
    }
  }

  private static func open(_ path: String, _ makingFile: Bool) throws -> CInt {
    let flags = makingFile ? O_RDWR | O_CREAT | O_NOFOLLOW : O_RDONLY
    let descriptor = systemOpen(path, flags | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileFailure("opened", path) }
    return descriptor
  }
}

/// Calls the system's `open`, which the method of the same name hides.
private func systemOpen(_ path: String, _ flags: CInt) -> CInt { open(path, flags, 0o600) }
#endif
