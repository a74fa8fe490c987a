// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO

/// A backend whose models return the same numbers in each run, for a bundle that this writes.
struct FixedOutputs: Backend {
  let name = "tflite"
  let matchesLayersByName = false
  var image: (height: Int, width: Int)? = (64, 64)
  var outputs: [(name: String, shape: [Int], values: [Float])]

  func loadModel(
    at path: String, for modes: ModelModes, options: SessionOptions
  ) throws -> any LoadedModel {
    let input = image.map { [1, $0.height, $0.width, 3] } ?? [1]
    let signature = SignatureDescription(
      key: "",
      inputs: [TensorDescription(name: "input", dataType: .float32, shape: input)],
      outputs: outputs.map {
        TensorDescription(name: $0.name, dataType: .float32, shape: $0.shape)
      })
    return FixedModel(signatures: [signature], values: outputs.map(\.values))
  }

  /// Writes a bundle, and makes its model.
  ///
  /// - Parameters:
  ///   - decode: The JSON of the first output's field `decode`.
  ///   - crop: How the image is placed in the input.
  ///   - assets: The contents of files in the assets folder, by name.
  /// - Returns: The model.
  /// - Throws: `TensorIOError` if the bundle isn't valid.
  func model(
    decode: String, crop: String = "stretch", assets: [String: String] = [:]
  ) throws -> InferenceModel {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "decoding-\(UUID().uuidString)/fixed.tiobundle")
    let assetsFolder = folder.appending(path: "assets")
    try FileManager.default.createDirectory(at: assetsFolder, withIntermediateDirectories: true)
    try Data("a model".utf8).write(to: folder.appending(path: "model.tflite"))
    for (name, text) in assets {
      try Data(text.utf8).write(to: assetsFolder.appending(path: name))
    }
    let input =
      image.map {
        """
        {"name": "image", "type": "image", "shape": [\($0.height), \($0.width), 3],
         "format": "RGB", "crop": "\(crop)"}
        """
      } ?? #"{"name": "number", "type": "scalar", "shape": [1]}"#
    let layers = outputs.enumerated().map { index, output in
      let field = index == 0 ? #", "decode": "# + decode : ""
      return #"{"name": "\#(output.name)", "type": "array", "shape": \#(output.shape)\#(field)}"#
    }
    let document = """
      {"name": "Fixed", "details": "", "id": "fixed", "version": "1", "author": "", "license": "",
       "model": {"file": "model.tflite", "quantized": false},
       "inputs": [\(input)], "outputs": [\(layers.joined(separator: ", "))]}
      """
    try Data(document.utf8).write(to: folder.appending(path: "model.json"))
    return try InferenceModel(at: folder.path(), loader: ModelLoader(backends: [self]))
  }
}

private struct FixedModel: LoadedModel {
  let signatures: [SignatureDescription]
  let values: [[Float]]

  func makeSession(
    _ signature: SignatureDescription, options: SessionOptions
  ) throws -> any Session {
    FixedSession(signature, values)
  }
}

private final class FixedSession: Session {
  private let signature: SignatureDescription
  private let values: [[Float]]
  private var input: [UInt8]

  init(_ signature: SignatureDescription, _ values: [[Float]]) {
    self.signature = signature
    self.values = values
    input = Array(repeating: 0, count: 4 * signature.inputs[0].shape.reduce(1, *))
  }

  func resizeInputs(to shapes: [[Int]]) throws {}
  func outputShape(at index: Int) -> [Int] { signature.outputs[index].shape }

  func withInput(at index: Int, _ body: (inout MutableRawSpan) throws -> Void) throws {
    try input.withUnsafeMutableBytes { buffer in
      var bytes = buffer.mutableBytes
      try body(&bytes)
    }
  }

  func setInput(at index: Int, to strings: [Data]) throws {}
  func run() throws {}

  func withOutput(at index: Int, _ body: (RawSpan) throws -> Void) throws {
    try values[index].withUnsafeBytes { try body($0.bytes) }
  }

  func strings(ofOutput index: Int) throws -> [Data] { [] }
}
