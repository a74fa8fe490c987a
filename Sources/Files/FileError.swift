// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls

/// A failed system call on a file.
package struct FileError: Error, Sendable, CustomStringConvertible {
  /// What should have been done to the file, as the end of "The file cannot be …".
  package enum Operation: String, Sendable {
    case created, examined, flushed, linked, locked, opened, read, renamed, truncated, written
    case madeReadOnly = "made read-only"
    case removed
  }

  package let operation: Operation
  package let path: String
  /// The new name of a file that was to be renamed or linked.
  package let newPath: String?
  /// The value of `errno`.
  package let number: CInt
  /// What was found where a regular file was expected; nil for all other errors.
  package let kind: FileStatus.Kind?

  /// Creates an error with the current value of `errno`.
  package init(_ operation: Operation, _ path: String, to newPath: String? = nil) {
    self.init(operation, path, to: newPath, number: errno)
  }

  /// Creates an error of `open`, which fails with `ENXIO` for a socket.
  init(opening path: String) {
    let number = errno
    self.init(.opened, path, number: number, kind: number == ENXIO ? .socket : nil)
  }

  /// Creates an error for a file that became shorter while it was read.
  package static func endedEarly(_ path: String) -> FileError {
    FileError(.read, path, number: ENODATA)
  }

  init(
    _ operation: Operation, _ path: String, to newPath: String? = nil, number: CInt,
    kind: FileStatus.Kind? = nil
  ) {
    self.operation = operation
    self.path = path
    self.newPath = newPath
    self.number = number
    self.kind = kind
  }

  /// The system's text for the failure, such as "No space left on device".
  package var reason: String { Self.reason(number) }

  /// Returns the system's text for a value of `errno`.
  package static func reason(_ number: CInt) -> String {
    strerror(number).map { String(cString: $0) } ?? "error \(number)"
  }

  /// The number of an error because a file, but not its folder, is missing.
  package static let noEntry = ENOENT

  /// Whether nothing exists at the path.
  package var isMissing: Bool { number == ENOENT || number == ENOTDIR }

  /// Whether the path is a symbolic link, which was not to be followed.
  package var isLink: Bool { number == ELOOP }

  /// Returns the system's text for a code.
  package static func reason(_ code: some RawRepresentable<CInt>) -> String {
    reason(code.rawValue)
  }

  /// Whether something already exists at the path.
  package var isPresent: Bool { number == EEXIST }

  /// Whether the disk is full, or a quota or size limit is exceeded.
  package var isDiskFull: Bool { [ENOSPC, EDQUOT, EFBIG].contains(number) }

  /// Whether the failure is temporary and says nothing about the file itself.
  package var isTransient: Bool { [EMFILE, ENFILE, ENOMEM, EAGAIN].contains(number) }

  /// Whether the process may not write to the path.
  package var isReadOnly: Bool { [EROFS, EACCES, EPERM].contains(number) }

  /// Whether the file system doesn't support the call, or doesn't support it between these two paths.
  package var isUnsupported: Bool {
    [EXDEV, EPERM, EMLINK, ENOTSUP, ENOSYS].contains(number)
  }

  package var description: String {
    let action = kind == nil ? operation.rawValue : "opened as a file"
    return "'\(path)' cannot be \(action)\(newPath.map { " to '\($0)'" } ?? ""): \(reason)"
  }
}
