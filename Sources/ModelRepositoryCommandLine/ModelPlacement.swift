// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Files
import Foundation
import TensorIO

/// Puts a downloaded model into a user's folder atomically.
///
/// The copy is made in a hidden folder beside the target, which is locked while the process lives.
/// The next pull removes the folder of a process that was killed.
struct ModelPlacement {
  /// The path at which the model is put, `NAME.tiobundle` or `NAME.tflite`.
  let target: String
  /// Whether to replace an existing model.
  let replaces: Bool

  private static let prefix = ".tensorio-pull-"

  private var folder: String { FileSystem.folder(of: target) }

  /// Checks that the model may be put at the target.
  ///
  /// - Throws: `TensorIOError` with `.fileExists`.
  func check() throws {
    guard replaces || !FileManager.default.fileExists(atPath: target) else {
      throw TensorIOError(.fileExists, "'\(target)' exists. Pass --force to replace it.")
    }
  }

  /// Copies a model and moves the copy to the target.
  ///
  /// - Parameter source: The path of a folder or a file, which isn't changed.
  /// - Throws: `TensorIOError`. The target is unchanged then.
  func place(_ source: String) throws {
    let files = FileManager.default
    do {
      try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
      removeLeftovers()
      let (temporary, lock) = try makeTemporaryFolder()
      defer {
        withExtendedLifetime(lock) {
          // The next pull removes the folder if that fails now.
          try? files.removeItem(atPath: temporary)
        }
      }
      let copy = temporary + "/" + FileSystem.name(of: target)
      try files.copyItem(atPath: source, toPath: copy)
      try share(copy, like: temporary)
      // After a power failure the target must be the old or the new model, never a part of it.
      try FileSystem.flushAll(copy)
      try FileSystem.move(copy, over: target)
    } catch let error as TensorIOError {
      throw error
    } catch {
      throw TensorIOError(
        .unwritableFile, "'\(target)' can't be written: \(FileSystem.reason(for: error)).",
        cause: error)
    }
  }

  /// Gives a copy the permissions of new files, since only its owner can read the cache.
  ///
  /// - Parameters:
  ///   - copy: The path of a folder or a file.
  ///   - folder: A new folder, whose permissions show the process's mask.
  /// - Throws: An error of the system.
  private func share(_ copy: String, like folder: String) throws {
    let files = FileManager.default
    let permissions = Int(try FileStatus(of: folder)?.permissions ?? 0o700) & 0o777
    let inner = try FileSystem.isFolder(copy) ? files.subpathsOfDirectory(atPath: copy) : []
    for path in [copy] + inner.map({ copy + "/" + $0 }) {
      let mode = FileSystem.isFolder(path) ? permissions : permissions & 0o666
      try files.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
  }

  /// Creates and locks a temporary folder, so that other processes don't remove it as a leftover.
  private func makeTemporaryFolder() throws -> (path: String, lock: FileLock) {
    while true {
      let path = folder + "/" + Self.prefix + UUID().uuidString
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      // Another process may remove the folder as a leftover before it is locked.
      do {
        let lock = try FileLock.trying(on: path)
        if let lock, FileSystem.isFolder(path) { return (path, lock) }
      } catch {
        if FileSystem.isFolder(path) { throw error }
      }
    }
  }

  /// Removes the folders of killed processes.
  ///
  /// The folder of a running process is locked, so it stays.
  private func removeLeftovers() {
    // Leftovers only take space, so it isn't an error if the folder can't be read or changed.
    guard let names = try? FileSystem.contents(of: folder) else { return }
    for name in names where name.hasPrefix(Self.prefix) {
      let path = folder + "/" + name
      guard let lock = try? FileLock.trying(on: path) else { continue }
      withExtendedLifetime(lock) { try? FileManager.default.removeItem(atPath: path) }
    }
  }
}
#endif
