// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A bundle that exists for one test, with a fixture as its model.
struct TemporaryBundle {
  let path: String
  private let folder: TemporaryFolder

  /// Writes the bundle.
  ///
  /// - Parameters:
  ///   - model: A fixture's name without its extension, or the path of a .tflite file; nil leaves
  ///     the bundle without a model file.
  ///   - quantized: The value of `quantized` in model.json.
  ///   - inputs: The input layers, as JSON.
  ///   - outputs: The output layers, as JSON.
  ///   - assets: Files for the bundle's assets folder.
  /// - Throws: An error if the files can't be written.
  init(
    _ model: String?, quantized: Bool = false, inputs: [String], outputs: [String],
    assets: [String: String] = [:]
  ) throws {
    folder = try TemporaryFolder()
    path = folder.path + "/test.tiobundle"
    try FileManager.default.createDirectory(
      atPath: path + "/assets", withIntermediateDirectories: true)
    if let model {
      let file = model.hasSuffix(".tflite") ? model : "\(modelsFolder)/\(model).tflite"
      let source = URL(filePath: file, relativeTo: CommandRunner.packageFolder)
      try FileManager.default.copyItem(atPath: source.path, toPath: path + "/model.tflite")
    }
    for (name, text) in assets { try write(text, to: "assets/" + name) }
    try write(
      """
      {"name": "Test", "details": "", "id": "test", "version": "1", "author": "", "license": "",
       "model": {"file": "model.tflite", "quantized": \(quantized)},
       "inputs": [\(inputs.joined(separator: ", "))],
       "outputs": [\(outputs.joined(separator: ", "))]}
      """, to: "model.json")
  }

  /// Writes a bundle with one array as its input and one as its output.
  init(_ model: String, shape: [Int], dtype: String = "float32") throws {
    let layer = #""type": "array", "shape": \#(shape), "dtype": "\#(dtype)"}"#
    try self.init(
      model, inputs: [#"{"name": "x", \#(layer)"#], outputs: [#"{"name": "y", \#(layer)"#])
  }

  /// A bundle whose model returns its uint8 input image, 6 pixels wide and 8 high.
  static func image() throws -> TemporaryBundle {
    let layer = #""type": "image", "shape": [8, 6, 3], "format": "RGB"}"#
    return try TemporaryBundle(
      "identity_image_uint8", quantized: true, inputs: [#"{"name": "in", \#(layer)"#],
      outputs: [#"{"name": "out", \#(layer)"#])
  }

  /// Writes a file beside the bundle, and returns its path.
  @discardableResult func write(_ data: Data, beside name: String) throws -> String {
    let file = folder.path + "/" + name
    try data.write(to: URL(filePath: file))
    return file
  }

  /// A path beside the bundle.
  func pathBeside(_ name: String) -> String { folder.path + "/" + name }

  private func write(_ text: String, to name: String) throws {
    try text.write(toFile: path + "/" + name, atomically: true, encoding: .utf8)
  }
}
