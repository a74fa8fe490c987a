// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A new file that never replaces an existing one.
///
/// Errors are POSIX errors that don't name the file, because only the caller knows what the user
/// calls it.
package final class ExclusiveFile: Sendable {
  private let descriptor: CInt

  /// Creates the file.
  ///
  /// Fails if a file or link exists at the path.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - permissions: The permissions, which the process's mask can restrict.
  /// - Throws: `POSIXError`.
  package init(_ path: String, permissions: Int = 0o644) throws {
    descriptor = open(
      path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(permissions))
    guard descriptor >= 0 else { throw POSIXError.last }
  }

  deinit { close(descriptor) }

  /// Appends bytes.
  ///
  /// - Throws: `POSIXError`.
  package func write(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes[...]
    while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
      let count = systemWrite(descriptor, start, rest.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw POSIXError.last }
      rest = rest.dropFirst(count)
    }
  }

  /// Flushes the content to the disk, so that a power cut doesn't leave an empty file.
  ///
  /// - Throws: `POSIXError`.
  package func flush() throws {
    guard fsync(descriptor) == 0 else { throw POSIXError.last }
  }
}

/// Calls `write`, which a method with the same name hides.
private func systemWrite(_ file: CInt, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
  write(file, bytes, count)
}

extension POSIXError {
  /// The error that the last system call stored in `errno`.
  static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
