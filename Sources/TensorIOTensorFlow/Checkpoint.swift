// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

internal import TensorIO

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A model's weights in a folder: `checkpoint.index` and `checkpoint.data-00000-of-00001`.
struct Checkpoint {
  private static let name = "checkpoint"
  private static let index = name + ".index"
  private static let data = name + ".data-00000-of-00001"

  let folder: String

  /// What TensorFlow calls the checkpoint by.
  var prefix: String { folder + "/" + Self.name }

  /// Checks that there is one.
  func check() throws {
    for file in [Self.index, Self.data] where !FileSystem.isFile(folder + "/" + file) {
      throw TensorIOError(
        .fileNotFound, "'\(folder)' holds no checkpoint: there is no file '\(file)'.")
    }
  }

  /// Writes a checkpoint beside its place, and gives it its names when it is complete.
  ///
  /// - Parameter save: Writes the two files for a prefix.
  /// - Throws: ``TensorIOError`` when the folder cannot be written; what `save` throws.
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
      error.message += " What was to replace it is in '\(fresh.folder)'."
      throw error
    }
    // An empty folder that stays is no harm.
    try? files.removeItem(atPath: fresh.folder)
  }

  /// Gives the files of another checkpoint the names of this one.
  ///
  /// Without an index there is no checkpoint: an old one ends with the first line, the new one
  /// begins with the last.
  private func replace(with fresh: Checkpoint) throws {
    try FileSystem.remove(folder + "/" + Self.index)
    for file in [Self.data, Self.index] {
      try FileSystem.rename(fresh.folder + "/" + file, to: folder + "/" + file)
    }
  }
}
