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

/// What the system refused to do with a file.
struct FileFailure: Error, CustomStringConvertible {
  /// The system's number for the reason.
  let number: CInt
  private let action: String
  private let path: String

  /// Takes the reason from `errno`.
  init(_ action: String, _ path: String) {
    number = errno
    self.action = action
    self.path = path
  }

  /// Whether there is no space left, or no more may be written.
  var isDiskFull: Bool { [ENOSPC, EDQUOT, EFBIG].contains(number) }

  /// Whether it says nothing about the file: another moment, and it can be read.
  var isTransient: Bool { [EMFILE, ENFILE, ENOMEM, EAGAIN].contains(number) }

  /// Whether nothing at all may be written there.
  var isReadOnly: Bool { [EROFS, EACCES, EPERM].contains(number) }

  var description: String { "'\(path)' cannot be \(action): \(String(cString: strerror(number)))" }
}
#endif
