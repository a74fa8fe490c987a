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

/// A claim to a file or a folder, against other processes and against other claims in this one.
///
/// It belongs to the open file (`flock`), so it ends with the object, and with the process whatever
/// becomes of it: nothing is left behind.
package final class FileLock: Sendable {
  /// Who may have a claim at the same time.
  package enum Kind: Sendable {
    case shared
    case exclusive
  }

  private let descriptor: CInt

  private init(_ descriptor: CInt) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Claims a file or folder, and waits for it.
  ///
  /// - Throws: ``FileFailure``.
  static func waiting(on path: String, makingFile: Bool = false) throws -> FileLock {
    let lock = FileLock(try open(path, makingFile))
    while flock(lock.descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw FileFailure("locked", path) }
    }
    return lock
  }

  /// Claims a file or folder, if nobody else does.
  ///
  /// - Returns: nil when somebody does.
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

  /// Claims a file or folder, and waits without holding a thread.
  ///
  /// - Throws: ``FileFailure``; `CancellationError`.
  static func later(
    _ kind: Kind = .exclusive, on path: String, makingFile: Bool = false
  ) async throws -> FileLock {
    while true {
      if let lock = try trying(kind, on: path, makingFile: makingFile) { return lock }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Whether somebody has a claim to a file.
  ///
  /// Nobody has one to a file that is not there; what cannot be opened for another reason counts as
  /// claimed.
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

/// `open`, which a method of the same name hides.
private func systemOpen(_ path: String, _ flags: CInt) -> CInt { open(path, flags, 0o600) }
#endif
