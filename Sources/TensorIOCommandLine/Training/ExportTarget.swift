// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelCommands
import ModelTools
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The target of the weights: a new bundle, or a checkpoint in a folder.
enum ExportTarget {
  case bundle(BundleWriter, outputs: [String]?)
  case checkpoint(folder: String)

  init(path: String, outputs: [String]) {
    let writer = BundleWriter(destination: path)
    self =
      writer.destination.hasSuffix(BundleWriter.fileExtension)
      ? .bundle(writer, outputs: outputs.isEmpty ? nil : outputs) : .checkpoint(folder: path)
  }

  /// Checks that the target can be written, before the training begins.
  ///
  /// The error isn't a `ValidationError`, because throwing that from a running command would print
  /// the usage of the whole program.
  func check() throws {
    switch self {
    case .bundle(let writer, _):
      // A missing folder is made later, so nothing can be in it.
      guard FileSystem.isFolder(FileSystem.folder(of: writer.destination)) else { return }
      do {
        try writer.checkDestination()
      } catch let error as TensorIOError where error.code == .fileExists {
        throw error.saying(after: " Bundles aren't overwritten. Choose another name.")
      }
    case .checkpoint(let folder):
      guard !FileSystem.isFile(folder) else {
        throw TensorIOError(.unwritableFile, "'\(folder)' is a file, but must be a folder.")
      }
    }
  }

  /// Makes the folder, and checks that the model has the outputs and that the weights can be written,
  /// before the training.
  func check(_ model: TrainableModel) throws {
    switch self {
    case .bundle(let writer, let outputs):
      try Self.makeFolder(FileSystem.folder(of: writer.destination))
      try writer.checkDestination()
      let inputs = try model.checkExport(outputs: outputs)
      guard !inputs.isEmpty else { return }
      Console.printMessage(
        "warning: the exported bundle will take all training inputs ("
          + inputs.map { "'\($0.printable)'" }.joined(separator: ", ")
          + "), because every output in model.json needs all of them. For inference, name the "
          + "tensor of the prediction: --export-output NAME.")
    case .checkpoint(let folder):
      // The runtimes have no check for this, so only a trial export shows whether it works. The
      // trial also detects a full disk. It is written next to any existing checkpoint, and takes as
      // long as the export.
      try Self.makeFolder(folder)
      let trial = folder + "/.tensorio-" + UUID().uuidString
      // The trial succeeded, so failing to delete it is harmless. Its name begins with a dot.
      defer { try? FileManager.default.removeItem(atPath: trial) }
      try FileSystem.writing("The folder '\(folder)' can't be written") {
        try FileManager.default.createDirectory(atPath: trial, withIntermediateDirectories: false)
      }
      try model.export(to: trial)
    }
  }

  private static func makeFolder(_ path: String) throws {
    try FileSystem.writing("The folder '\(path)' can't be made") {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
  }

  /// Writes the weights to a new temporary folder, because the training may have taken days.
  ///
  /// Returns nil if they can't be written there either. The error of the first attempt is then
  /// enough.
  static func rescue(_ model: TrainableModel) -> String? {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "tensorio-weights-\(UUID().uuidString)").path
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try model.export(to: folder)
      return folder
    } catch {
      // The caller reports the error that made the rescue necessary; an incomplete copy has no use.
      try? FileManager.default.removeItem(atPath: folder)
      return nil
    }
  }

  /// Writes the weights, with the names of the classes as labels of a bundle's outputs.
  func write(_ model: TrainableModel, classes: [String]) throws -> String {
    switch self {
    case .bundle(let writer, let outputs):
      try writer.checkDestination()
      try model.exportBundle(to: writer.destination, outputs: outputs, classes: classes)
      return writer.destination
    case .checkpoint(let folder):
      try model.export(to: folder)
      return folder
    }
  }
}
