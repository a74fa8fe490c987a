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

/// A model's weights in a folder: `checkpoint.index` and `checkpoint.data-00000-of-00001`, and
/// `checkpoint.variables.json` with the names of a TensorFlow 2 model's variables.
struct Checkpoint {
  private static let name = "checkpoint"
  private static let index = name + ".index"
  private static let data = name + ".data-00000-of-00001"
  private static let variables = name + ".variables.json"

  let folder: String

  /// The common beginning of the files' paths, by which TensorFlow identifies the checkpoint.
  var prefix: String { folder + "/" + Self.name }

  /// The names of the files, of which the index is the last one.
  private var files: [String] {
    [Self.variables, Self.data, Self.index].filter { FileSystem.isFile(folder + "/" + $0) }
  }

  /// Checks that the folder holds a checkpoint.
  func check() throws {
    for file in [Self.index, Self.data] where !FileSystem.isFile(folder + "/" + file) {
      throw TensorIOError(
        .fileNotFound, "'\(folder)' doesn't contain a checkpoint: the file '\(file)' is missing.")
    }
  }

  /// Checks that the model names its variables as the one that wrote the checkpoint.
  ///
  /// Checkpoints of earlier versions don't have the names.
  ///
  /// - Parameters:
  ///   - names: The names of the model's variables, by their paths in checkpoints.
  ///   - model: The path of the model.
  /// - Throws: ``TensorIOError`` if a path is another variable.
  func check(_ names: [String: String], of model: String) throws {
    let path = folder + "/" + Self.variables
    guard FileSystem.isFile(path) else { return }
    guard
      let written = try? JSONDecoder().decode([String: String].self, from: FileSystem.read(path))
    else {
      throw TensorIOError(.unreadableFile, "'\(path)' is damaged. Export the checkpoint again.")
    }
    let common = Set(written.keys).intersection(names.keys).sorted()
    guard let other = common.first(where: { written[$0] != names[$0] }) else { return }
    func text(_ name: String?) -> String { name.map { "'\($0)'" } ?? "nothing" }
    throw TensorIOError(
      .invalidModel,
      "The checkpoint '\(folder)' is of another export than '\(model)': '\(other)' is "
        + "\(text(written[other])) in the checkpoint, and \(text(names[other])) in the model. Keras can write "
        + "the variables of the same network in another order each time. Use the bundle that the training "
        + "began with.")
  }

  /// Writes the checkpoint to a temporary folder, and renames its files when it is complete.
  ///
  /// - Parameters:
  ///   - names: The names of the variables, by their paths in checkpoints; none for TensorFlow 1.
  ///   - save: A closure that writes the files of the weights for a prefix.
  /// - Throws: ``TensorIOError`` when the folder cannot be written; any error that `save` throws.
  func write(_ names: [String: String] = [:], _ save: (String) throws -> Void) throws {
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
      if !names.isEmpty {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        try encoder.encode(names).write(to: URL(filePath: fresh.folder + "/" + Self.variables))
      }
      for file in fresh.files { try FileSystem.flush(fresh.folder + "/" + file) }
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
    try FileSystem.remove(folder + "/" + Self.variables)
    for file in fresh.files {
      try FileSystem.rename(fresh.folder + "/" + file, to: folder + "/" + file)
    }
  }
}
