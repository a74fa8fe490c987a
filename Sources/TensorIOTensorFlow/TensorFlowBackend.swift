// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

internal import CTensorFlow
internal import Synchronization
public import TensorIO

/// TensorFlow models (SavedModel folders), run and trained by TensorFlow's own library.
///
/// The library is opened by the first model; making a backend needs nothing.
public final class TensorFlowBackend: Backend {
  private let library = Mutex<TensorFlowLibrary?>(nil)

  /// Makes a backend.
  public init() {}

  /// `tensorflow`.
  public var name: String { "tensorflow" }

  /// True: layers name the operations of the graph.
  public var matchesLayersByName: Bool { true }

  public func loadModel(
    at path: String, for modes: ModelModes, options: SessionOptions
  ) throws -> any LoadedModel {
    try tensorFlowModel(at: path, for: modes, options: options)
  }

  /// Loads a model without a bundle, to look at what it says of itself.
  ///
  /// - Parameters:
  ///   - path: The SavedModel's folder.
  ///   - modes: What the model will be used for; it tells which of its graphs is loaded.
  ///   - options: How it runs; its sessions share the threads.
  /// - Returns: The model in memory.
  /// - Throws: ``TensorIOError`` when the library is missing or the folder is no model.
  public func tensorFlowModel(
    at path: String, for modes: ModelModes, options: SessionOptions = SessionOptions()
  ) throws -> TensorFlowModel {
    try TensorFlowModel(
      folder: SavedModelFolder(path: path), modes: modes, threads: options.threads,
      library: openLibrary())
  }

  /// The tags of each graph in a SavedModel, which tell what it can be loaded for.
  ///
  /// The file alone is read: the library need not be there.
  ///
  /// - Parameter path: The SavedModel's folder.
  /// - Returns: A list of tags for each graph.
  /// - Throws: ``TensorIOError`` when the folder is no SavedModel.
  public func graphTags(ofModelAt path: String) throws -> [[String]] {
    let folder = SavedModelFolder(path: path)
    try folder.check()
    return try folder.tags()
  }

  /// The version that TensorFlow's library tells, such as `2.21.0`; opens the library.
  ///
  /// - Throws: `TensorIOError` when the library is missing.
  public var libraryVersion: String {
    get throws { try openLibrary().functions.Version().map { String(cString: $0) } ?? "unknown" }
  }

  /// The file of the library; it is opened.
  ///
  /// - Throws: ``TensorIOError`` with the code `missingLibrary`.
  public var libraryPath: String { get throws { try openLibrary().path } }

  private func openLibrary() throws -> TensorFlowLibrary {
    try library.withLock { library in
      if let library { return library }
      let opened = try TensorFlowLibrary()
      library = opened
      return opened
    }
  }
}

extension Backend where Self == TensorFlowBackend {
  /// TensorFlow models.
  public static var tensorFlow: TensorFlowBackend { TensorFlowBackend() }
}
