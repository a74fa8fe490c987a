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

/// A SavedModel on disk: `saved_model.pb`, and `variables/` if it has variables.
struct SavedModelFolder {
  static let modelFile = "saved_model.pb"
  /// The common beginning of the checkpoint files' paths inside a SavedModel.
  static let variables = "variables/variables"

  let path: String

  var modelPath: String { path + "/" + Self.modelFile }
  var hasVariables: Bool { FileSystem.isFile(path + "/" + Self.variables + ".index") }

  /// Checks that the folder is a SavedModel.
  func check() throws {
    guard FileSystem.isFolder(path) else {
      throw FileSystem.isFile(path)
        ? TensorIOError(.invalidModel, "'\(path)' is a file, but a SavedModel is a folder.")
        : TensorIOError(.fileNotFound, "The SavedModel folder '\(path)' doesn't exist.")
    }
    guard FileSystem.isFile(modelPath) else {
      throw TensorIOError(
        .invalidModel, "'\(path)' is not a SavedModel: it has no file \(Self.modelFile).")
    }
    try checkVariables()
  }

  /// Checks that the files of the variables can be opened without waiting.
  ///
  /// TensorFlow opens these files itself and would wait forever for a pipe.
  private func checkVariables() throws {
    let folder = path + "/" + FileSystem.folder(of: Self.variables)
    guard FileSystem.isFolder(folder) else { return }
    for name in try FileSystem.contents(of: folder) {
      let file = folder + "/" + name
      guard !FileSystem.isFolder(file) else { continue }
      try FileSystem.requireFile(file)
    }
  }

  /// Returns the tags of each graph in the file.
  func tags() throws -> [[String]] {
    try decode().metaGraphs.map(\.tags)
  }

  /// Returns the file's content with only one of its graphs, tagged for inference.
  func modelForServing(tags: [String], isRepaired: Bool) throws -> Data {
    let bytes = Data(
      try decode().keeping(tags: Set(tags), retagged: TensorFlowModel.servingTag))
    return isRepaired ? Self.repaired(bytes) : bytes
  }

  private func decode() throws -> SavedModelMessage {
    let bytes = try FileSystem.read(modelPath)
    do {
      return try SavedModelMessage([UInt8](bytes)[...])
    } catch {
      throw damaged(error)
    }
  }

  func damaged(_ cause: any Error) -> TensorIOError {
    TensorIOError(
      .invalidModel, "'\(modelPath)' is damaged: it isn't a valid SavedModel message.",
      cause: cause)
  }

  // MARK: - Repair

  /// Calls a closure with a copy that lacks the shapes that TensorFlow 1 recorded in its graphs.
  ///
  /// Some exports recorded shapes that later releases reject as inconsistent, although nothing
  /// needs them. The copy renames the attribute that holds them, and links to the variables.
  func withRepairedCopy<Result>(_ body: (SavedModelFolder) throws -> Result) throws -> Result {
    let files = FileManager.default
    let copy = files.temporaryDirectory.appending(path: "tensorio-\(UUID().uuidString)").path
    defer { try? files.removeItem(atPath: copy) }
    do {
      try files.createDirectory(atPath: copy, withIntermediateDirectories: true)
      for name in try FileSystem.contents(of: path) where name != Self.modelFile {
        // A relative link would be resolved from the link's own folder, so use an absolute path.
        try files.createSymbolicLink(
          atPath: copy + "/" + name,
          withDestinationPath: URL(filePath: path).absoluteURL.appending(path: name).path)
      }
      let repaired = Self.repaired(try FileSystem.read(modelPath))
      try repaired.write(to: URL(filePath: copy + "/" + Self.modelFile))
    } catch let error as TensorIOError {
      throw error
    } catch {
      throw TensorIOError(
        .unwritableFile,
        "A copy of '\(path)' cannot be written to '\(copy)': \(FileSystem.reason(for: error)).",
        cause: error)
    }
    return try body(SavedModelFolder(path: copy))
  }

  /// Returns the bytes with the attribute renamed to a name of the same length.
  private static func repaired(_ bytes: Data) -> Data {
    Data([UInt8](bytes).replacing("_output_shapes".utf8, with: "_outdated_shap".utf8))
  }
}
