// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOLiteRT
import Testing

/// Tests models that can't be trained, and values that a step rejects.
@Suite struct LiteRTTrainingErrorTests {
  private let golden = GoldenTraining.builtin

  private func expect(
    _ code: TensorIOError.Code, _ parts: [String],
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
  ) {
    let error = #expect(throws: TensorIOError.self, sourceLocation: sourceLocation) { try body() }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    for part in parts {
      #expect(
        error?.message.contains(part) == true, "\(error?.message ?? "")",
        sourceLocation: sourceLocation)
    }
  }

  @Test func `a training signature can't be run or evaluated`() throws {
    let bundle = try TrainingBundle(outputs: TrainingBundle.loss)
    let model = try bundle.model()
    let parts = ["'train'", "model.signature"]
    let inputs: ModelInputs = ["x": golden.x[0], "y": golden.y[0]]
    expect(.unsupportedModel, parts) { _ = try model.run(inputs, placeholders: ["rate": 1]) }
    expect(.unsupportedModel, parts) {
      _ = try model.evaluate(golden.batch(), placeholders: ["rate": 1])
    }
    let outputs = try model.train(golden.batch(), placeholders: ["rate": golden.rate])
    try #expect(golden.agrees([outputs["loss"]], [golden.losses[0]]))
  }

  @Test func `for operations that aren't signatures, the error names them and the signatures`()
    throws
  {
    for operations in [["trains"], ["train", "GradientDescent"]] {
      let bundle = try TrainingBundle(outputs: TrainingBundle.loss, operations: operations)
      let model = try bundle.model()
      expect(.invalidBundle, ["'\(operations[operations.count - 1])'", "'train'", "'set_weights'"])
      {
        try model.load()
      }
    }
  }

  @Test func `a file without training signatures or variables can't be trained`() throws {
    let file = Fixtures.model("dynamic_batch.tflite")
    let model = try LiteRTBackend().liteRTModel(at: file)
    let outputs = #"{"name": "y", "type": "array", "shape": [-1, 2]}"#
    func bundle(_ operation: String) throws -> TrainingBundle {
      try TrainingBundle(
        file, outputs: outputs, operations: [operation], inputs: TrainingBundle.x,
        placeholders: "")
    }
    let unknown = try bundle("train")
    expect(.invalidBundle, ["'train'"]) { try unknown.model().load() }
    let constant = try bundle(model.signatures[0].key)
    expect(.unsupportedModel, ["no variables"]) { try constant.model().load() }
  }

  @Test func `layers are matched by name, and none may be missing`() throws {
    let turned = try TrainingBundle(
      outputs: TrainingBundle.prediction, inputs: "\(TrainingBundle.y), \(TrainingBundle.x)")
    let model = try turned.model()
    try golden.train(model)
    try #expect(
      golden.agrees(
        model.evaluate(golden.batch())["prediction"], golden.predictionAfter.flatMap(\.self)))
    let missing = try TrainingBundle(
      outputs: TrainingBundle.prediction, inputs: TrainingBundle.x)
    expect(.invalidBundle, ["'y'"]) { try missing.model().load() }
    let unknown = try TrainingBundle(
      outputs: TrainingBundle.prediction,
      placeholders: #"{"name": "speed", "type": "scalar", "shape": []}"#)
    expect(.invalidBundle, ["'speed'", "'rate'"]) { try unknown.model().load() }
    let elsewhere = try TrainingBundle(outputs: TrainingBundle.loss, signature: "infer")
    expect(.invalidBundle, ["'loss'", "'prediction'"]) { try elsewhere.model().load() }
    let nowhere = try TrainingBundle(outputs: TrainingBundle.loss, signature: "predict")
    expect(.invalidModel, ["'predict'", "'infer'"]) { try nowhere.model().load() }
  }

  @Test func `values that a step rejects leave the weights unchanged`() throws {
    let bundle = try TrainingBundle(outputs: TrainingBundle.prediction)
    let model = try bundle.model()
    let rate: [String: any TensorEncodable] = ["rate": golden.rate]
    expect(.missingInput, ["'rate'"]) { try model.train(golden.batch()) }
    expect(.unknownInput, ["'speed'"]) {
      try model.train(golden.batch(), placeholders: ["speed": 1])
    }
    let unlabelled = try Batch(keys: ["x"], items: [["x": golden.x[0]]])
    expect(.missingInput, ["'y'"]) { try model.train(unlabelled, placeholders: rate) }
    expect(.missingInput, ["'x'"]) {
      try model.train(
        Batch(keys: ["y"], items: [["y": golden.y[0]]]), placeholders: rate)
    }
    expect(.wrongInputCount, ["no items"]) {
      try model.train(Batch(keys: ["x", "y"]), placeholders: rate)
    }
    expect(.wrongElementCount, ["'y'", "Item 1"]) {
      try model.train(
        Batch(
          keys: ["x", "y"],
          items: [["x": golden.x[0], "y": golden.y[0]], ["x": golden.x[0], "y": [1.0]]]),
        placeholders: rate)
    }
    let outputs = try model.evaluate(golden.batch())
    #expect(golden.agrees(try outputs["prediction"], golden.predictionBefore.flatMap(\.self)))
    try golden.train(model)
    #expect(
      golden.agrees(
        try model.evaluate(golden.batch())["prediction"], golden.predictionAfter.flatMap(\.self)))
  }

  @Test func `a signature with TensorFlow operations is named, and the others run`() throws {
    let file = Fixtures.model("train_flex.tflite")
    let model = try LiteRTBackend().liteRTModel(at: file)
    let parts = ["'train'", "SELECT_TF_OPS", "FlexReluGrad"]
    for (index, signature) in model.signatures.enumerated() {
      guard signature.key == "train" else {
        try model.makeSession(signature: index, options: SessionOptions()).run()
        continue
      }
      expect(.unsupportedModel, parts) {
        _ = try model.makeSession(signature: index, options: SessionOptions())
      }
    }
    let bundle = try TrainingBundle(
      file, outputs: TrainingBundle.prediction, placeholders: "")
    let trainable = try bundle.model()
    for _ in 0..<2 { expect(.unsupportedModel, parts) { try trainable.load() } }
  }

  @Test func `outputs can't be chosen for a bundle with weights`() throws {
    let bundle = try TrainingBundle(outputs: TrainingBundle.prediction)
    let path = bundle.path + "/trained.tiobundle"
    let model = try bundle.model()
    expect(.invalidOption, ["'prediction'"]) {
      try model.exportBundle(to: path, outputs: ["prediction"])
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `exporting a model file is an error`() throws {
    let backend = LiteRTBackend()
    let model = try backend.loadModel(
      at: Fixtures.model("train_builtin.tflite"), for: [.predict, .train])
    let trainable = try #require(model as? any TrainableLoadedModel)
    expect(.unsupportedModel, ["export(to:)", "exportBundle(to:)"]) {
      try trainable.exportModel(to: "somewhere")
    }
  }

  @Test func `only a model that was loaded for training can be trained`() throws {
    let model = try LiteRTBackend().liteRTModel(at: Fixtures.model("train_builtin.tflite"))
    let signature = try #require(model.signatures.first { $0.key == "infer" })
    expect(.unsupportedModel, ["wasn't loaded for training"]) {
      _ = try model.makeTrainingSession(
        signature, operations: ["train"], options: SessionOptions())
    }
  }

  @Test func `a rejected run of one signature doesn't change shapes of another`() throws {
    let loaded = try LiteRTBackend().loadModel(
      at: Fixtures.model("train_builtin.tflite"), for: [.predict, .train])
    let model = try #require(loaded as? any TrainableLoadedModel)
    let infer = try #require(model.signatures.first { $0.key == "infer" })
    let signature = model.describe(
      LayerNames(inputs: ["x", "y", "rate"], outputs: ["prediction"], operations: ["train"]),
      in: infer)
    #expect(signature.inputs.map(\.name).sorted() == ["rate", "x", "y"])
    let session = try model.makeTrainingSession(
      signature, operations: ["train"], options: SessionOptions())
    let place = Dictionary(
      uniqueKeysWithValues: signature.inputs.enumerated().map { ($1.name, $0) })
    func shapes(_ x: [Int], _ y: [Int]) -> [[Int]] {
      signature.inputs.map { ["x": x, "y": y, "rate": []][$0.name] ?? [] }
    }
    try session.resizeInputs(to: shapes([2, 3], [2, 2]))
    #expect(throws: TensorIOError.self) { try session.resizeInputs(to: shapes([5, 4], [5, 2])) }
    #expect(session.outputShape(at: 0) == [2, 2])
    for (name, values) in [("x", golden.x[0] + golden.x[1]), ("y", golden.y[0] + golden.y[1])] {
      try session.withInput(at: #require(place[name])) { memory in
        #expect(memory.byteCount == values.count * 4)
        for (index, value) in values.enumerated() {
          memory.storeBytes(of: value, toByteOffset: index * 4, as: Float.self)
        }
      }
    }
    try session.withInput(at: #require(place["rate"])) { memory in
      memory.storeBytes(of: 0, as: Float.self)
    }
    try session.run()
    try session.withOutput(at: 0) { bytes in
      let values = (0..<4).map { bytes.unsafeLoad(fromByteOffset: $0 * 4, as: Float.self) }
      #expect(golden.agrees(values, golden.predictionBefore[0] + golden.predictionBefore[1]))
    }
  }
}
