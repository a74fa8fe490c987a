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

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
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
        .unreadableFile,
        "The folder '\(folder)' cannot be written to: \(FileSystem.reason(for: error)).",
        cause: error)
    }
    defer { try? files.removeItem(atPath: fresh.folder) }
    try save(fresh.prefix)
    try fresh.check()
    for file in [Self.index, Self.data] { try Self.flush(fresh.folder + "/" + file) }
    // Without an index there is no checkpoint: an old one ends here, the new one begins with the
    // last line.
    try remove(Self.index)
    try rename(Self.data, from: fresh)
    try rename(Self.index, from: fresh)
  }

  private func remove(_ file: String) throws {
    guard unlink(folder + "/" + file) != 0, errno != ENOENT else { return }
    throw Self.systemError("'\(folder)/\(file)' cannot be replaced")
  }

  private func rename(_ file: String, from other: Checkpoint) throws {
    guard systemRename(other.folder + "/" + file, folder + "/" + file) == 0 else {
      throw Self.systemError("'\(folder)/\(file)' cannot be written")
    }
  }

  private func systemRename(_ old: String, _ new: String) -> Int32 {
    #if canImport(Glibc)
    Glibc.rename(old, new)
    #elseif canImport(Musl)
    Musl.rename(old, new)
    #else
    Darwin.rename(old, new)
    #endif
  }

  /// Brings a file to the disk: after a power cut a name must not stand for an empty file.
  private static func flush(_ path: String) throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw systemError("'\(path)' cannot be read") }
    defer { close(file) }
    guard fsync(file) == 0 else { throw systemError("'\(path)' cannot be written") }
  }

  private static func systemError(_ what: String) -> TensorIOError {
    TensorIOError(.unreadableFile, "\(what): \(String(cString: strerror(errno))).")
  }
}
