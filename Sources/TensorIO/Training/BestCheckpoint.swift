// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Weights of a model in a temporary folder, which goes away with the value.
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
        "The folder '\(folder)' for the best weights cannot be made: \(FileSystem.reason(for: error)).",
        cause: error)
    }
  }

  deinit {
    // A temporary folder that stays is no harm.
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Writes the weights once, to find before the first epoch whether they can be written at all.
  func check() throws { try model.export(to: folder) }

  /// Keeps the weights that the model has now, instead of those before.
  func keep() throws {
    try model.export(to: folder)
    isKept = true
  }

  /// Gives the model the weights back; without any it keeps its own.
  func restore() throws {
    if isKept { try model.restore(from: folder) }
  }
}
