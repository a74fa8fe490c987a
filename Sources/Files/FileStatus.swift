// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls

/// What the system knows about a file.
package struct FileStatus: Sendable, Hashable {
  /// The kinds of file.
  package enum Kind: String, Sendable {
    case file, folder, link, pipe, socket, device
  }

  package let kind: Kind
  package let permissions: UInt32
  package let device: UInt64
  /// The number that the file has on its device, which hard links share.
  package let number: UInt64
  /// The size in bytes.
  package let size: Int
  /// The time of the last modification, in seconds since 1970.
  package let seconds: Int
  /// The rest of that time.
  package let nanoseconds: Int

  /// Returns the status of a file; nil if nothing exists at the path.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - followsLinks: Whether a link's target is examined instead of the link itself.
  /// - Throws: ``FileError`` if the system can't tell.
  package init?(of path: String, followsLinks: Bool = true) throws(FileError) {
    var status = stat()
    let result = followsLinks ? stat(path, &status) : lstat(path, &status)
    guard result == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw FileError(.examined, path)
    }
    self.init(status)
  }

  /// The time of the last modification, in seconds since 1970.
  package var time: Double { Double(seconds) + Double(nanoseconds) * 1e-9 }

  init(_ file: OpenFile) throws(FileError) {
    var status = stat()
    guard fstat(file.descriptor, &status) == 0 else { throw FileError(.examined, file.path) }
    self.init(status)
  }

  private init(_ status: stat) {
    kind =
      switch status.st_mode & mode_t(S_IFMT) {
      case mode_t(S_IFREG): .file
      case mode_t(S_IFDIR): .folder
      case mode_t(S_IFLNK): .link
      case mode_t(S_IFIFO): .pipe
      case mode_t(S_IFSOCK): .socket
      default: .device
      }
    permissions = UInt32(status.st_mode & 0o7777)
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
    size = Int(status.st_size)
    #if canImport(Darwin)
    let time = status.st_mtimespec
    #else
    let time = status.st_mtim
    #endif
    seconds = Int(time.tv_sec)
    nanoseconds = Int(time.tv_nsec)
  }
}
