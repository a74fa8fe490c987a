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

/// What it takes to replace a file by a complete one.
extension FileSystem {
  /// Brings a file's content to the disk: after a power cut its name must not stand for an empty file.
  ///
  /// - Throws: ``TensorIOError`` that names the file.
  package static func flush(_ path: String) throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw lastError(writing: path) }
    defer { close(file) }
    guard fsync(file) == 0 else { throw lastError(writing: path) }
  }

  /// Gives a file another name in one step; a file of that name is replaced.
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

  /// Removes a file; one that is not there is no error.
  ///
  /// - Throws: ``TensorIOError`` that names the file.
  package static func remove(_ path: String) throws {
    guard unlink(path) == 0 || errno == ENOENT else { throw lastError(writing: path) }
  }

  private static func lastError(writing path: String) -> TensorIOError {
    TensorIOError(
      .unwritableFile, "'\(path)' cannot be written: \(String(cString: strerror(errno))).")
  }

  /// Gives a folder, or a file, the place of what may be there already.
  ///
  /// - Throws: What the system says; what was there is still there then.
  package static func move(_ fresh: String, over destination: String) throws {
    let files = FileManager.default
    guard files.fileExists(atPath: destination) else {
      return try files.moveItem(atPath: fresh, toPath: destination)
    }
    // A file takes the other's place in one step; a folder can change places with it.
    if isFile(fresh), isFile(destination) { return try rename(fresh, to: destination) }
    // What was there and cannot be removed is no reason to say that nothing was done.
    if exchange_names(fresh, destination) == 0 {
      try? files.removeItem(atPath: fresh)
      return
    }
    // Here the file system has no such step.
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
