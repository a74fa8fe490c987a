// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A model's weights in a folder: `checkpoint.index` and `checkpoint.data-00000-of-00001`.
struct Checkpoint {
  private static let name = "checkpoint"
  private static let index = name + ".index"
  private static let data = name + ".data-00000-of-00001"

  let folder: String

  /// The common beginning of the files' paths, by which TensorFlow identifies the checkpoint.
  var prefix: String { folder + "/" + Self.name }

  /// Checks that the folder holds a checkpoint.
  func check() throws {
    for file in [Self.index, Self.data] where !FileSystem.isFile(folder + "/" + file) {
      throw TensorIOError(
        .fileNotFound, "'\(folder)' doesn't contain a checkpoint: the file '\(file)' is missing.")
    }
  }

  /// Writes the checkpoint to a temporary folder, and renames its files when it is complete.
  ///
  /// - Parameter save: A closure that writes the two files for a prefix.
  /// - Throws: ``TensorIOError`` when the folder cannot be written; any error that `save` throws.
  func write(_ save: (String) throws -> Void) throws {
    let files = FileManager.default
    let fresh = Checkpoint(folder: folder + "/.checkpoint-\(UUID().uuidString)")
    do {
      try files.createDirectory(atPath: fresh.folder, withIntermediateDirectories: false)
    } catch {
      throw TensorIOError(
        .unwritableFile,
        "The folder '\(folder)' cannot be written to: \(FileSystem.reason(for: error)).",
        cause: error)
    }
    do {
      try save(fresh.prefix)
      try fresh.check()
      for file in [Self.index, Self.data] { try FileSystem.flush(fresh.folder + "/" + file) }
    } catch {
      try? files.removeItem(atPath: fresh.folder)
      throw error
    }
    do {
      try replace(with: fresh)
    } catch var error as TensorIOError {
      error.message += " The new checkpoint is in '\(fresh.folder)'."
      throw error
    }
    // Failing to delete the empty folder is harmless.
    try? files.removeItem(atPath: fresh.folder)
  }

  /// Replaces this checkpoint's files with those of another checkpoint.
  ///
  /// A checkpoint is valid only with its index. The old index is therefore removed first, and the
  /// new one is moved in last.
  private func replace(with fresh: Checkpoint) throws {
    try FileSystem.remove(folder + "/" + Self.index)
    for file in [Self.data, Self.index] {
      try FileSystem.rename(fresh.folder + "/" + file, to: folder + "/" + file)
    }
  }
}
