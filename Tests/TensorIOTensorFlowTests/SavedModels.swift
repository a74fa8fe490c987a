// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOTensorFlow
import TestSupport
import Testing

/// The SavedModels that these tests run.
enum SavedModels {
  static let root = Python.root
  static let folder = root.appending(path: "Tests/Fixtures/SavedModels").path
  /// Bundles and photos next to the checkout, which most machines don't have.
  static let sharedData: String? = {
    let variable = ProcessInfo.processInfo.environment["TENSORIO_SHARED_DATA"]
    let folder = variable ?? root.appending(path: "../shared/data").standardizedFileURL.path
    return FileManager.default.fileExists(atPath: folder + "/bundles/tensorflow") ? folder : nil
  }()

  /// All tests share one backend, so that the library is opened once.
  static let backend = TensorFlowBackend()
  static let loader = ModelLoader(backends: [backend])

  static func path(_ name: String) -> String { folder + "/" + name }

  static func model(
    _ name: String, for modes: ModelModes = .predict
  ) throws -> TensorFlowModel {
    try backend.tensorFlowModel(at: path(name), for: modes)
  }
}

/// A temporary bundle for one test, with a copy of a SavedModel.
final class TestBundle {
  let folder: String
  let path: String
  var modelPath: String { path + "/model" }

  /// Writes the bundle.
  ///
  /// - Parameters:
  ///   - model: A SavedModel of the fixtures, or the path of one.
  ///   - modes: The modes of the bundle's model.
  ///   - inputs: The input layers, as JSON.
  ///   - outputs: The output layers, as JSON.
  ///   - rest: More members of model.json, each preceded by a comma.
  /// - Throws: An error when the files can't be written.
  init(
    _ model: String, modes: String = "predict", inputs: [String], outputs: [String],
    rest: String = ""
  ) throws {
    let files = FileManager.default
    folder = files.temporaryDirectory.appending(path: "tensorflow-tests-\(UUID())").path
    path = folder + "/test.tiobundle"
    try files.createDirectory(atPath: path, withIntermediateDirectories: true)
    let source = model.hasPrefix("/") ? model : SavedModels.path(model)
    try files.copyItem(atPath: source, toPath: path + "/model")
    let json = """
      {"name": "Test", "details": "", "id": "test", "version": "1", "author": "", "license": "",
       "model": {"file": "model", "quantized": false, "modes": ["\(modes)"]},
       "inputs": [\(inputs.joined(separator: ", "))],
       "outputs": [\(outputs.joined(separator: ", "))]\(rest)}
      """
    try json.write(toFile: path + "/model.json", atomically: true, encoding: .utf8)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// A path next to the bundle.
  func pathBeside(_ name: String) -> String { folder + "/" + name }

  /// Makes a folder next to the bundle.
  func makeFolder(_ name: String) throws -> String {
    let path = pathBeside(name)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  /// A layer of numbers.
  static func layer(_ name: String, _ shape: [Int], dtype: String = "float32") -> String {
    #"{"name": "\#(name)", "type": "array", "shape": \#(shape), "dtype": "\#(dtype)"}"#
  }

  /// A line that is trained by gradient descent, with the learning rate as a placeholder.
  static func line(outputs: [String] = [layer("loss", [1])]) throws -> TestBundle {
    try TestBundle(
      "train_line", modes: "train", inputs: [layer("x", [-1, 2]), layer("y", [-1, 1])],
      outputs: outputs,
      rest: #", "train": {"ops": ["train"]}, "placeholders": [\#(layer("learning_rate", [1]))]"#)
  }

  /// A line, trained by a model of TensorFlow 2.
  static func tf2Training() throws -> TestBundle {
    try TestBundle(
      "tf2_train", modes: "train",
      inputs: [layer("train_x", [-1, 1]), layer("train_y", [-1, 1])],
      outputs: [layer("loss", [1])],
      rest: #", "train": {"ops": ["train"]}, "placeholders": [\#(layer("train_rate", [1]))]"#)
  }

  /// The bundle's model, for training.
  func trainable() throws -> TrainableModel {
    try TrainableModel(at: path, loader: SavedModels.loader)
  }
}
