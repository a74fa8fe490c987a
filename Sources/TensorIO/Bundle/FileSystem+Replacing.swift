// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Operations for replacing a file with a complete new one.
extension FileSystem {
  /// Flushes a file's content, or the names in a folder, to the disk, so that a power cut does not
  /// leave an empty file.
  package static func flush(_ path: String) throws {
    try writing { () throws(FileError) in try FileOperations.flush(path) }
  }

  /// Renames a file in one step, and replaces an existing file with the new name.
  package static func rename(_ path: String, to newPath: String) throws {
    try writing { () throws(FileError) in try FileOperations.rename(path, to: newPath) }
  }

  /// Removes a file; a missing file is not an error.
  package static func remove(_ path: String) throws {
    try writing { () throws(FileError) in try FileOperations.remove(path) }
  }

  private static func writing(_ work: () throws(FileError) -> Void) throws {
    do {
      try work()
    } catch {
      throw TensorIOError(writing: error)
    }
  }

  /// Makes a file or folder under a hidden name, and moves it to its destination when complete.
  ///
  /// On failure, nothing is left behind, and the ``TensorIOError`` names the destination.
  package static func writeAtomically<Result>(
    _ destination: String, fill: (_ fresh: String) throws -> Result,
    move: (_ fresh: String) throws -> Void
  ) throws -> Result {
    // The end of the name keeps the extension, and the whole stays below the limit of 255 bytes.
    let end = String(name(of: destination).unicodeScalars.suffix(40))
    let fresh = "\(folder(of: destination))/.\(UUID().uuidString)-\(end)"
    do {
      defer { try? FileManager.default.removeItem(atPath: fresh) }
      let result = try fill(fresh)
      try move(fresh)
      return result
    } catch var error as TensorIOError {
      // The caller doesn't know the hidden name, so the message names the destination.
      error.message = error.message.replacing(fresh, with: destination)
      throw error
    } catch {
      throw TensorIOError(
        .unwritableFile, "'\(destination)' cannot be written: \(reason(for: error)).",
        cause: error)
    }
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
    if (try? FileOperations.exchange(fresh, destination)) != nil {
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
