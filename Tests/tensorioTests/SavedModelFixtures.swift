// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOTensorFlow

/// The folder of the SavedModels, relative to ``CommandRunner/packageFolder``.
let savedModelsFolder = "Tests/Fixtures/SavedModels"

/// Environment variables that make TensorFlow's library missing.
let withoutTensorFlow = ["TENSORIO_TENSORFLOW_LIBRARY": "/nope"]

/// The error message if the library is missing.
let tensorFlowIsMissing =
  "TensorFlow's library libtensorflow_cc cannot be opened: TENSORIO_TENSORFLOW_LIBRARY names '/nope' "
  + "(no such file). Correct the variable, or unset it to search the usual paths."

/// Loads one of the SavedModels.
func savedModel(_ name: String, for modes: ModelModes = .predict) throws -> TensorFlowModel {
  let path = CommandRunner.packageFolder.appending(path: "\(savedModelsFolder)/\(name)").path
  return try TensorFlowBackend().tensorFlowModel(at: path, for: modes)
}

/// A bundle that exists for one test, with a copy of a SavedModel.
struct SavedModelBundle {
  let path: String
  private let folder: TemporaryFolder

  /// The SavedModel in the bundle.
  var modelPath: String { path + "/model" }

  /// Writes the bundle.
  ///
  /// - Parameters:
  ///   - model: A fixture's name.
  ///   - fields: Further members of `model`, each after a comma.
  ///   - inputs: The input layers, as JSON.
  ///   - outputs: The output layers, as JSON.
  ///   - rest: Further members of model.json, each after a comma.
  /// - Throws: An error if the files can't be written.
  init(
    _ model: String, fields: String = "", inputs: [String], outputs: [String], rest: String = ""
  ) throws {
    folder = try TemporaryFolder()
    path = folder.path + "/test.tiobundle"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let source = CommandRunner.packageFolder.appending(path: "\(savedModelsFolder)/\(model)")
    try FileManager.default.copyItem(atPath: source.path, toPath: path + "/model")
    let json = """
      {"name": "Test", "details": "", "id": "test", "version": "1", "author": "", "license": "",
       "model": {"file": "model", "quantized": false\(fields)},
       "inputs": [\(inputs.joined(separator: ", "))],
       "outputs": [\(outputs.joined(separator: ", "))]\(rest)}
      """
    try json.write(toFile: path + "/model.json", atomically: true, encoding: .utf8)
  }

  /// An array layer.
  static func layer(_ name: String, _ shape: [Int], dtype: String? = nil) -> String {
    let dtype = dtype.map { #", "dtype": "\#($0)""# } ?? ""
    return #"{"name": "\#(name)", "type": "array", "shape": \#(shape)\#(dtype)}"#
  }

  /// A trainable bundle for a line, whose training step also needs a learning rate.
  static func line(operations: String?, rest: String = "") throws -> SavedModelBundle {
    try SavedModelBundle(
      "train_line", fields: #", "modes": ["train"]"#,
      inputs: [layer("x", [-1, 2]), layer("y", [-1, 1])], outputs: [layer("loss", [1])],
      rest: rest + (operations.map { #", "train": {"ops": \#($0)}"# } ?? ""))
  }
}
