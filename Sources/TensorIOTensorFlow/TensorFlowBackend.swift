// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CTensorFlow
import Synchronization
public import TensorIO

/// A backend that runs and trains TensorFlow models (SavedModel folders) with TensorFlow's library.
///
/// The library is opened when the first model is loaded, so you can make a backend without it.
public final class TensorFlowBackend: Backend {
  private let library = Mutex<TensorFlowLibrary?>(nil)

  /// Makes a backend.
  public init() {}

  /// `tensorflow`.
  public var name: String { "tensorflow" }

  /// True, because layers name the operations of the graph.
  public var matchesLayersByName: Bool { true }

  public func loadModel(
    at path: String, for modes: ModelModes, options: SessionOptions
  ) throws -> any LoadedModel {
    try tensorFlowModel(at: path, for: modes, options: options)
  }

  /// Loads a model without a bundle, to inspect its signatures and graph.
  ///
  /// - Parameters:
  ///   - path: The SavedModel's folder.
  ///   - modes: The uses of the model, which decide which of its graphs is loaded.
  ///   - options: How the model runs. Its sessions share the threads.
  /// - Returns: The model in memory.
  /// - Throws: ``TensorIOError`` when the library is missing or the folder isn't a valid model.
  package func tensorFlowModel(
    at path: String, for modes: ModelModes, options: SessionOptions = SessionOptions()
  ) throws -> TensorFlowModel {
    try TensorFlowModel(
      folder: SavedModelFolder(path: path), modes: modes, threads: options.threads,
      library: openLibrary())
  }

  /// Returns the tags of each graph in a SavedModel, which show what it can be loaded for.
  ///
  /// This only reads the file and doesn't need the library.
  ///
  /// - Parameter path: The SavedModel's folder.
  /// - Returns: A list of tags for each graph.
  /// - Throws: ``TensorIOError`` when the folder isn't a SavedModel.
  package func graphTags(ofModelAt path: String) throws -> [[String]] {
    let folder = SavedModelFolder(path: path)
    try folder.check()
    return try folder.tags()
  }

  /// Opens the library, and returns the version that it reports, such as `2.21.0`.
  ///
  /// - Throws: ``TensorIOError`` with the code `missingLibrary`.
  package func readLibraryVersion() throws -> String {
    try openLibrary().functions.Version().map { String(cString: $0) } ?? "unknown"
  }

  /// Opens the library, and returns the path of its file.
  ///
  /// - Throws: ``TensorIOError`` with the code `missingLibrary`.
  package func findLibrary() throws -> String { try openLibrary().path }

  private func openLibrary() throws -> TensorFlowLibrary {
    try library.value { try TensorFlowLibrary() }
  }
}

extension Backend where Self == TensorFlowBackend {
  /// A backend for TensorFlow models.
  public static var tensorFlow: TensorFlowBackend { TensorFlowBackend() }
}
