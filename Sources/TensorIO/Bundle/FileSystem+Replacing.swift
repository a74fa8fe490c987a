// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CFileCalls

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

/// Operations for replacing a file with a complete new one.
extension FileSystem {
  /// Flushes a file's content to the disk, so that a power cut does not leave an empty file.
  ///
  /// - Throws: ``TensorIOError`` that names the file.
  package static func flush(_ path: String) throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw lastError(writing: path) }
    defer { close(file) }
    guard fsync(file) == 0 else { throw lastError(writing: path) }
  }

  /// Renames a file in one step, and replaces an existing file with the new name.
  ///
  /// - Throws: ``TensorIOError`` that names the new file.
  package static func rename(_ path: String, to newPath: String) throws {
    #if canImport(Glibc)
    let status = Glibc.rename(path, newPath)
    #elseif canImport(Musl)
    let status = Musl.rename(path, newPath)
    #else
    let status = Darwin.rename(path, newPath)
    #endif
    guard status == 0 else { throw lastError(writing: newPath) }
  }

  /// Removes a file; a missing file is not an error.
  ///
  /// - Throws: ``TensorIOError`` that names the file.
  package static func remove(_ path: String) throws {
    guard unlink(path) == 0 || errno == ENOENT else { throw lastError(writing: path) }
  }

  private static func lastError(writing path: String) -> TensorIOError {
    TensorIOError(
      .unwritableFile, "'\(path)' cannot be written: \(String(cString: strerror(errno))).")
  }

  /// Moves a folder or a file to a path, and replaces what exists there.
  ///
  /// - Throws: The system's error. What existed at the path is then still there.
  package static func move(_ fresh: String, over destination: String) throws {
    let files = FileManager.default
    guard files.fileExists(atPath: destination) else {
      return try files.moveItem(atPath: fresh, toPath: destination)
    }
    // A file replaces another in one step. A folder swaps names with what it replaces.
    if isFile(fresh), isFile(destination) { return try rename(fresh, to: destination) }
    // The swap succeeded, so failing to delete the old content is harmless.
    if exchange_names(fresh, destination) == 0 {
      try? files.removeItem(atPath: fresh)
      return
    }
    // The file system cannot swap names in one step.
    let old = "\(folder(of: destination))/.\(UUID().uuidString).old"
    try files.moveItem(atPath: destination, toPath: old)
    do {
      try files.moveItem(atPath: fresh, toPath: destination)
    } catch {
      try files.moveItem(atPath: old, toPath: destination)
      throw error
    }
    try? files.removeItem(atPath: old)
  }
}
