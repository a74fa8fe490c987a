// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import TensorIO

/// Tests `TrainableModel.exportBundle(to:outputs:)`.
struct ExportBundleTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/trained.tiobundle" }

  init() throws { folder = try TemporaryFolder() }

  /// A model after some training.
  private func trained(
    outputs: [JSONValue] = [.loss], set changes: [String: JSONValue] = [:],
    files: [String: String] = [:], backend: LineBackend = LineBackend()
  ) throws -> LineFixture {
    let line = try LineFixture(outputs: outputs, set: changes, files: files, backend: backend)
    try Trainer(
      line.model, data: LineFixture.nearPoints(16),
      options: TrainingOptions(epochs: 5, placeholders: ["learning_rate": 0.2])
    ).train()
    return line
  }

  private func document() throws -> JSONValue {
    try JSONValue(parsing: FileSystem.read(path + "/model.json"))
  }

  @Test func `an exported model can be loaded for inference`() throws {
    let line = try trained()
    try line.model.exportBundle(to: path)
    let model = try ModelLoader(backends: [LineBackend()]).model(at: path)
    #expect(model is InferenceModel)
    try #expect(model.run(10)["y"] == line.answer)
    #expect(ModelBundle.issues(at: path).isEmpty)
    #expect(try FileSystem.contents(of: folder.path) == ["trained.tiobundle"])
  }

  @Test func `everything that only training needs is omitted`() throws {
    let line = try trained(outputs: [.loss, .errors])
    try line.model.exportBundle(to: path + "/")
    let manifest = try ModelBundle(path).manifest
    #expect(manifest.inputs.map(\.name) == ["x"])
    #expect(manifest.placeholders.isEmpty)
    #expect(
      manifest.outputs == [
        ModelManifest.Layer(
          name: "y", shape: [-1, 1], dataType: .float32, kind: .array(nil, labelsFile: nil))
      ])
    #expect(manifest.trainingOperations.isEmpty)
    #expect(manifest.model.modes == .predict)
    #expect(manifest.model.signature == "serving_default")
    #expect(manifest.model.file == "predict")
  }

  @Test func `everything else is kept, in a readable order`() throws {
    let line = try trained(
      outputs: [.loss, .layer("y", [-1, 1], ["labels": "labels.txt"])],
      set: ["/options": ["device_position": "back", "mine": [1, nil, 2.5]]],
      files: ["assets/labels.txt": "one", "assets/more/notes.txt": "kept"])
    try line.model.exportBundle(to: path)
    #expect(try FileSystem.read(path + "/assets/labels.txt") == Data("one".utf8))
    #expect(try FileSystem.read(path + "/assets/more/notes.txt") == Data("kept".utf8))
    let text = String(decoding: try FileSystem.read(path + "/model.json"), as: UTF8.self)
    #expect(
      text == """
        {
          "name": "Apples or pears",
          "details": "Learns to tell apples from pears",
          "id": "apples-pears-128",
          "version": "1",
          "author": "TensorIO for Swift",
          "license": "Apache License. Version 2.0 http://www.apache.org/licenses/LICENSE-2.0",
          "model": {
            "file": "predict",
            "quantized": false,
            "type": "image.classification.applesorpears",
            "backend": "tensorflow",
            "modes": ["predict"],
            "signature": "serving_default"
          },
          "inputs": [
            {
              "name": "x",
              "type": "array",
              "shape": [-1, 1]
            }
          ],
          "outputs": [
            {
              "name": "y",
              "type": "array",
              "shape": [-1, 1],
              "labels": "labels.txt"
            }
          ],
          "options": {
            "device_position": "back",
            "mine": [1, null, 2.5]
          }
        }

        """)
  }

  @Test(arguments: [[JSONValue.loss, .y], [.loss]])
  func `without a signature for inference, outputs that need no labels are chosen`(
    outputs: [JSONValue]
  ) throws {
    var backend = LineBackend()
    backend.servesInference = false
    let line = try trained(outputs: outputs, backend: backend)
    #expect(try line.model.checkExport(outputs: nil) == [])
    try line.model.exportBundle(to: path)
    let manifest = try ModelBundle(path).manifest
    #expect(manifest.inputs.map(\.name) == ["x"])
    #expect(manifest.outputs.map(\.name) == ["y"])
    #expect(manifest.model.signature == nil)
    let model = try ModelLoader(backends: [backend]).model(at: path)
    try #expect(model.run(10)["y"] == line.answer)
  }

  @Test func `if every output needs the labels, their layers are kept and reported`()
    throws
  {
    var backend = LineBackend()
    backend.servesInference = false
    backend.givesPredictions = false
    let line = try trained(outputs: [.loss, .errors], backend: backend)
    #expect(try line.model.checkExport(outputs: nil) == ["x", "target"])
    #expect(try line.model.checkExport(outputs: ["loss"]) == [])
    try line.model.exportBundle(to: path)
    let manifest = try ModelBundle(path).manifest
    #expect(manifest.inputs.map(\.name) == ["x", "target"])
    #expect(manifest.outputs.map(\.name) == ["loss", "errors"])
  }

  @Test(arguments: [
    (["y"], ["x"], "serving_default"), (["errors", "loss"], ["x", "target"], "train"),
  ])
  func `named outputs are exported with the inputs that they need`(
    names: [String], inputs: [String], signature: String
  ) throws {
    var backend = LineBackend()
    backend.onlyTrains = true
    let line = try trained(backend: backend)
    try line.model.exportBundle(to: path, outputs: names)
    let manifest = try ModelBundle(path).manifest
    #expect(manifest.inputs.map(\.name) == inputs)
    #expect(manifest.outputs.map(\.name) == names)
    // A signature that lists all of the names comes before one that trains the model.
    #expect(manifest.model.signature == signature)
    _ = try ModelLoader(backends: [LineBackend()]).model(at: path).loadSignature()
  }

  @Test(arguments: [
    (["z"], "The model has no output 'z'; its outputs are 'loss', 'errors', 'y'."),
    ([], "There are no outputs to export; name at least one, or pass nil."),
    (["y", "y"], "The output 'y' is named twice."),
  ])
  func `outputs that can't be exported are errors`(names: [String], message: String) throws {
    let line = try LineFixture()
    let error = #expect(throws: TensorIOError.self) {
      try line.model.exportBundle(to: path, outputs: names)
    }
    #expect(error?.code == .unknownOutput)
    #expect(error?.message == message)
    #expect(try FileSystem.contents(of: folder.path).isEmpty)
  }

  @Test(arguments: [
    ("trained", TensorIOError.Code.invalidBundle, "A bundle's name must end with .tiobundle, "),
    ("no/trained.tiobundle", .fileNotFound, "There is no folder '"),
    ("file.tiobundle", .fileExists, "'"), ("folder.tiobundle", .fileExists, "'"),
  ])
  func `an unsuitable path is rejected, and existing files are unchanged`(
    name: String, code: TensorIOError.Code, message: String
  ) throws {
    let line = try LineFixture()
    try folder.write("mine", to: "file.tiobundle")
    try folder.write("mine", to: "folder.tiobundle/mine.txt")
    let error = #expect(throws: TensorIOError.self) {
      try line.model.exportBundle(to: folder.path + "/" + name)
    }
    #expect(error?.code == code)
    #expect(error?.message.hasPrefix(message) == true)
    let names = try FileSystem.contents(of: folder.path).sorted()
    #expect(names == ["file.tiobundle", "folder.tiobundle"])
    #expect(try FileSystem.contents(of: folder.path + "/folder.tiobundle") == ["mine.txt"])
  }

  @Test func `a failure leaves nothing behind`() throws {
    let line = try LineFixture(
      outputs: [.layer("y", [-1, 1], ["labels": "labels.txt"])],
      files: ["assets/labels.txt": "one"])
    try line.model.load()
    try FileManager.default.removeItem(atPath: line.bundle.path + "/assets/labels.txt")
    let error = #expect(throws: TensorIOError.self) { try line.model.exportBundle(to: path) }
    #expect(error?.code == .unsupportedModel)
    #expect(try FileSystem.contents(of: folder.path).isEmpty)
  }
}
