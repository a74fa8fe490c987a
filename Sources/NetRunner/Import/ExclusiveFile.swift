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

/// A file that is written where none is.
///
/// Its errors are POSIX errors without a name: only the caller knows what a person calls the file.
package final class ExclusiveFile: Sendable {
  private let descriptor: CInt

  /// Makes the file; one that is there already is an error, and so is a link.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - permissions: Who may do what with it, less what the process's mask takes away.
  /// - Throws: `POSIXError`.
  package init(_ path: String, permissions: Int = 0o644) throws {
    descriptor = open(
      path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(permissions))
    guard descriptor >= 0 else { throw POSIXError.last }
  }

  deinit { close(descriptor) }

  /// Adds bytes at the end.
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

  /// Brings the content to the disk: after a power cut the name must not stand for an empty file.
  ///
  /// - Throws: `POSIXError`.
  package func flush() throws {
    guard fsync(descriptor) == 0 else { throw POSIXError.last }
  }
}

/// `write`, which a method of the same name hides.
private func systemWrite(_ file: CInt, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
  write(file, bytes, count)
}

extension POSIXError {
  /// What the last call of the system set in `errno`.
  static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
