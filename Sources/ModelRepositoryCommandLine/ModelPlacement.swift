// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelCommands
import ModelRepositoryClient
import TensorIO

/// Puts a downloaded model into a folder of the user's, in one step.
///
/// The copy is made in a hidden folder beside the target, which is locked as long as its process lives.
/// What a killed process left there is removed by the next one.
struct ModelPlacement {
  /// Where the model is put: `NAME.tiobundle` or `NAME.tflite`.
  let target: String
  /// Whether a model that is there is replaced.
  let replaces: Bool

  private static let prefix = ".tensorio-pull-"

  private var folder: String { FileSystem.folder(of: target) }

  /// Checks that the model may be put there.
  ///
  /// - Throws: `TensorIOError` with `.fileExists`.
  func check() throws {
    guard replaces || !FileManager.default.fileExists(atPath: target) else {
      throw TensorIOError(.fileExists, "'\(target)' exists. Pass --force to replace it.")
    }
  }

  /// Copies a model, then gives the copy its place.
  ///
  /// - Parameter source: A folder or a file, which stays as it is.
  /// - Throws: `TensorIOError`; what was there is still there then.
  func place(_ source: String) throws {
    let files = FileManager.default
    do {
      try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
      removeLeftovers()
      let (temporary, lock) = try makeTemporaryFolder()
      defer {
        withExtendedLifetime(lock) {
          // The next pull removes what cannot be removed now.
          try? files.removeItem(atPath: temporary)
        }
      }
      let copy = temporary + "/" + FileSystem.name(of: target)
      try files.copyItem(atPath: source, toPath: copy)
      try FileSystem.move(copy, over: target)
    } catch let error as TensorIOError {
      throw error
    } catch {
      throw TensorIOError(
        .unwritableFile, "'\(target)' cannot be written: \(FileSystem.reason(for: error)).",
        cause: error)
    }
  }

  /// Makes a folder that nobody else takes for a leftover.
  private func makeTemporaryFolder() throws -> (path: String, lock: FileLock) {
    while true {
      let path = folder + "/" + Self.prefix + UUID().uuidString
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      // Another process may take it for a leftover, and remove it, before it is locked.
      do {
        if let lock = try FileLock.trying(on: path), FileSystem.isFolder(path) {
          return (path, lock)
        }
      } catch  where !FileSystem.isFolder(path) {}
    }
  }

  /// Removes what processes left that were killed; the lock of one that lives keeps its folder.
  private func removeLeftovers() {
    // Leftovers take space and do no harm, so a folder that cannot be read or changed is no error.
    guard let names = try? FileSystem.contents(of: folder) else { return }
    for name in names where name.hasPrefix(Self.prefix) {
      let path = folder + "/" + name
      guard let lock = try? FileLock.trying(on: path) else { continue }
      withExtendedLifetime(lock) { try? FileManager.default.removeItem(atPath: path) }
    }
  }
}
#endif
