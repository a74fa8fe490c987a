// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Weights of a model in a temporary folder, which is deleted with this object.
final class BestCheckpoint {
  private let model: TrainableModel
  private let folder: String
  private var isKept = false

  init(of model: TrainableModel) throws {
    self.model = model
    let files = FileManager.default
    folder = files.temporaryDirectory.appending(path: "tensorio-\(UUID().uuidString)").path
    do {
      try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw TensorIOError(
        .unwritableFile,
        "The folder '\(folder)' for the best weights can't be created: "
          + "\(FileSystem.reason(for: error)).",
        cause: error)
    }
  }

  deinit {
    // Failing to delete a temporary folder is harmless.
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Writes the weights once, to learn before the first epoch whether they can be written.
  func check() throws { try model.export(to: folder) }

  /// Saves the model's current weights and replaces those saved before.
  func keep() throws {
    try model.export(to: folder)
    isKept = true
  }

  /// Restores the saved weights; does nothing if none were saved.
  func restore() throws {
    if isKept { try model.restore(from: folder) }
  }
}
