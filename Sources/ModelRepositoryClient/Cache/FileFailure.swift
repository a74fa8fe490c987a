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

/// A failed system call on a file.
struct FileFailure: Error, CustomStringConvertible {
  /// The value of `errno`.
  let number: CInt
  private let action: String
  private let path: String

  /// Creates an error with the current value of `errno`.
  init(_ action: String, _ path: String) {
    number = errno
    self.action = action
    self.path = path
  }

  /// Whether the disk is full, or a quota or size limit is exceeded.
  var isDiskFull: Bool { [ENOSPC, EDQUOT, EFBIG].contains(number) }

  /// Whether the failure is temporary and says nothing about the file itself.
  var isTransient: Bool { [EMFILE, ENFILE, ENOMEM, EAGAIN].contains(number) }

  /// Whether the process may not write to the path.
  var isReadOnly: Bool { [EROFS, EACCES, EPERM].contains(number) }

  var description: String { "'\(path)' cannot be \(action): \(String(cString: strerror(number)))" }
}
#endif
