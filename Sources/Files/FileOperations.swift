// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls

/// Operations on names of files and folders.
package enum FileOperations {
  /// Renames a file or folder in one step, and replaces an existing file with the new name.
  package static func rename(_ path: String, to newPath: String) throws(FileError) {
    guard CSystemCalls.rename(path, newPath) == 0 else {
      throw FileError(.renamed, path, to: newPath)
    }
  }

  /// Exchanges two names in one step, so that both exist at all times.
  ///
  /// Not every system and not every file system supports it.
  package static func exchange(_ path: String, _ other: String) throws(FileError) {
    guard exchange_names(path, other) == 0 else { throw FileError(.renamed, path, to: other) }
  }

  /// Creates a hard link.
  package static func link(_ path: String, to newPath: String) throws(FileError) {
    guard CSystemCalls.link(path, newPath) == 0 else { throw FileError(.linked, path, to: newPath) }
  }

  /// Removes a file; a missing file isn't an error.
  package static func remove(_ path: String) throws(FileError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw FileError(.removed, path) }
  }

  /// Creates a folder, whose parent has to exist.
  package static func makeFolder(
    _ path: String, permissions: UInt32
  ) throws(FileError) {
    guard mkdir(path, mode_t(permissions)) == 0 else { throw FileError(.created, path) }
  }

  /// Flushes a file's content, or the names in a folder, to the disk.
  package static func flush(_ path: String) throws(FileError) {
    try OpenFile(examining: path).flush()
  }

  /// Whether a file or a folder exists.
  ///
  /// - Throws: ``FileError`` if the system can't tell, which doesn't mean that the file is missing.
  package static func exists(_ path: String) throws(FileError) -> Bool {
    guard access(path, F_OK) != 0 else { return true }
    guard errno == ENOENT || errno == ENOTDIR else { throw FileError(.examined, path) }
    return false
  }

  /// Returns the size of a folder's disk and the space that is left for this user, in bytes.
  package static func room(at path: String) throws(FileError) -> (total: Int, free: Int) {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { throw FileError(.examined, path) }
    let unit = Int(clamping: status.f_frsize)
    func bytes(_ blocks: some BinaryInteger) -> Int {
      let (bytes, isTooMany) = Int(clamping: blocks).multipliedReportingOverflow(by: unit)
      return isTooMany ? .max : bytes
    }
    return (bytes(status.f_blocks), bytes(status.f_bavail))
  }

  /// Returns a path without symbolic links; nil if nothing exists there.
  package static func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
