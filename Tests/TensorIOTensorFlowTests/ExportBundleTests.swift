// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOTensorFlow
import TestSupport
import Testing

/// Tests bundles for inference that trained models export.
@Suite struct ExportBundleTests {
  private func train(_ model: TrainableModel) throws {
    var batch = Batch(keys: ["x", "y"])
    try batch.addItem(["x": [0, 1], "y": 2])
    try batch.addItem(["x": [1, 0], "y": 0.5])
    for _ in 0..<5 { try model.train(batch, placeholders: ["learning_rate": Float(0.1)]) }
  }

  @Test func `an exported bundle gives the trained model's predictions`() throws {
    let bundle = try TestBundle.line(outputs: [
      TestBundle.layer("loss", [1]), TestBundle.layer("prediction", [-1, 1]),
    ])
    let model = try bundle.trainable()
    try train(model)
    let path = bundle.pathBeside("trained.tiobundle")
    try model.exportBundle(to: path)
    let exported = try SavedModels.loader.model(at: path)
    #expect(exported is InferenceModel)
    let manifest = exported.bundle.manifest
    #expect(manifest.model.modes == .predict)
    #expect(manifest.trainingOperations.isEmpty)
    #expect(manifest.inputs.map(\.name) == ["x"])
    #expect(manifest.outputs.map(\.name) == ["prediction"])
    #expect(manifest.placeholders.isEmpty)
    let untrained = try bundle.trainable()
    for x in [[0, 1], [1, 0], [-3, 2.5]] as [[Float]] {
      let expected: Float = try model.run(["x": x, "y": 0])["prediction"]
      try #expect(exported.run(x)["prediction"] == expected)
      try #expect(untrained.run(["x": x, "y": 0])["prediction", as: Float.self] != expected)
    }
    // Items of a batch, whose axis is still described.
    let items = [[0, 1], [1, 0]].map { ModelInputs($0 as [Float]) }
    let together = try exported.run(batch: items).map {
      try $0["prediction", as: Float.self]
    }
    let alone = try items.map { try exported.run($0)["prediction", as: Float.self] }
    #expect(together == alone)
    // No other files remain.
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: bundle.folder).sorted() == [
        "test.tiobundle", "trained.tiobundle",
      ])
  }

  @Test func `named outputs are exported with the inputs that they need`() throws {
    let bundle = try TestBundle.line()
    let model = try bundle.trainable()
    try train(model)
    let path = bundle.pathBeside("loss.tiobundle")
    try model.exportBundle(to: path, outputs: ["loss", "prediction"])
    let exported = try SavedModels.loader.model(at: path)
    #expect(try exported.loadSignature().inputs.map(\.name) == ["x", "y"])
    let inputs: ModelInputs = ["x": [0, 1], "y": 2]
    let (ours, theirs) = (try model.run(inputs), try exported.run(inputs))
    try #expect(theirs["loss", as: Float.self] == ours["loss"])
    let error = #expect(throws: TensorIOError.self) {
      try model.exportBundle(to: bundle.pathBeside("no.tiobundle"), outputs: ["los"])
    }
    #expect(error?.message.contains("'los'") == true)
  }

  @Test func `an output is exported with the signature that lists it`() throws {
    let bundle = try TestBundle(
      "tf2_train", modes: "train",
      inputs: [TestBundle.layer("x", [-1, 1]), TestBundle.layer("y", [-1, 1])],
      outputs: [TestBundle.layer("loss", [1])],
      rest: #", "train": {"ops": ["train"]}, "placeholders": [\#(TestBundle.layer("rate", [1]))]"#)
    let path = bundle.pathBeside("trained.tiobundle")
    try bundle.trainable().exportBundle(to: path, outputs: ["prediction"])
    let manifest = try ModelBundle(path).manifest
    #expect(manifest.model.signature == "serving_default")
    #expect(manifest.inputs.map(\.name) == ["x"])
    _ = try SavedModels.loader.model(at: path).loadSignature()
  }

  @Test func `an existing bundle is kept, and a missing folder is named`() throws {
    let bundle = try TestBundle.line()
    let model = try bundle.trainable()
    let before = try Data(contentsOf: URL(filePath: bundle.path + "/model.json"))
    let exists = #expect(throws: TensorIOError.self) { try model.exportBundle(to: bundle.path) }
    #expect(exists?.code == .fileExists)
    #expect(try Data(contentsOf: URL(filePath: bundle.path + "/model.json")) == before)
    for (path, code) in [
      (bundle.pathBeside("none/x.tiobundle"), TensorIOError.Code.fileNotFound),
      (bundle.pathBeside("x"), .invalidBundle), ("/proc/x.tiobundle", .unwritableFile),
    ] {
      let error = #expect(throws: TensorIOError.self) { try model.exportBundle(to: path) }
      #expect(error?.code == code, "\(error?.message ?? "")")
      #expect(error?.message.contains(path.hasSuffix("/x") ? "x" : "/") == true)
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: bundle.folder) == ["test.tiobundle"])
  }

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; the test needs TensorFlow."))
  func `Python can load an exported model`() async throws {
    let bundle = try TestBundle.line()
    let model = try bundle.trainable()
    try train(model)
    let path = bundle.pathBeside("trained.tiobundle")
    try model.exportBundle(to: path, outputs: ["prediction"])
    let script = """
      import os, sys
      os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
      import tensorflow as tf
      with tf.compat.v1.Session(graph=tf.Graph()) as session:
          tf.compat.v1.saved_model.loader.load(session, ["serve"], sys.argv[1])
          print(session.run("prediction:0", {"x:0": [[0.0, 1.0]]})[0][0])
      """
    let text = try await Python.compute(["-c", script, path + "/predict"])
    let found = try #require(Float(text.split(separator: "\n").last ?? ""))
    let exported = try SavedModels.loader.model(at: path)
    let expected: Float = try await exported.run([0, 1] as [Float])["prediction"]
    #expect(abs(found - expected) < 1e-6)
  }
}
