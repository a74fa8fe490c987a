// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOTensorFlow
import Testing

@Suite struct TrainableModelTests {
  /// The batch that `training.json` trains on.
  private let batch: Batch = {
    var batch = Batch(keys: ["x", "y"])
    let rows: [([Float], Float)] = [
      ([0, 1], 2), ([1, 0], 0.5), ([1, 1], 3), ([-1, 0.5], 0), ([0.25, -2], -4),
    ]
    for (x, y) in rows { try? batch.addItem(["x": x, "y": y]) }
    return batch
  }()

  private func losses(
    of model: TrainableModel, rate: Float, steps: Int = 20
  ) throws -> [Float] {
    try (0..<steps).map { _ in
      try model.train(batch, placeholders: ["learning_rate": rate])["loss"]
    }
  }

  @Test func `a batch trains as in Python, and the learning rate matters`() throws {
    let bundle = try TestBundle.line()
    for series in Golden.series where series.model == "train_line" {
      let model = try bundle.trainable()
      let rate = try #require(series.inputs.first { $0.name == "learning_rate:0" })
      let found = try losses(of: model, rate: Float(rate.values[0].real))
      for (loss, expected) in zip(found, series.losses) {
        #expect(abs(Double(loss) - expected) < 1e-4)
      }
    }
  }

  @Test func `the loader makes a model that can be trained`() async throws {
    let bundle = try TestBundle.line()
    let model = try SavedModels.loader.model(at: bundle.path)
    let trainable = try #require(model as? TrainableModel)
    let first: Float = try await trainable.train(batch, placeholders: ["learning_rate": 0.1])[
      "loss"]
    let later: Float = try await trainable.train(batch, placeholders: ["learning_rate": 0.1])[
      "loss"]
    #expect(later < first)
  }

  @Test func `evaluation gives the loss and doesn't train`() async throws {
    let bundle = try TestBundle.line()
    let model = try bundle.trainable()
    let before: Float = try await model.evaluate(batch)["loss"]
    try await #expect(model.evaluate(batch)["loss"] == before)
    try await #expect(model.run(["x": [0, 1], "y": 2])["loss", as: Float.self] != before)
    let after: Float = try await model.train(batch, placeholders: ["learning_rate": 0.1])["loss"]
    #expect(after < before)
    try await #expect(model.evaluate(batch)["loss"] == after)
  }

  @Test func `outputs with a batch axis have the values of all items`() throws {
    let bundle = try TestBundle.line(outputs: [
      TestBundle.layer("loss", [1]), TestBundle.layer("prediction", [-1, 1]),
    ])
    let model = try bundle.trainable()
    let outputs = try model.evaluate(batch)
    let predictions: [Float] = try outputs["prediction"]
    #expect(predictions.count == batch.count)
    for (item, prediction) in zip(batch.items, predictions) {
      try #expect(model.run(ModelInputs(item))["prediction"] == prediction)
    }
    let loss: Float = try outputs["loss"]
    #expect(loss > 0)
  }

  @Test func `an output with values for each item but without a batch axis is an error`() throws {
    let bundle = try TestBundle.line(outputs: [TestBundle.layer("prediction", [1])])
    let model = try bundle.trainable()
    let error = #expect(throws: TensorIOError.self) { try model.evaluate(batch) }
    for part in ["'prediction'", "5 values", "-1"] {
      #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }
  }

  @Test func `an unloaded model starts again from its original weights`() throws {
    let bundle = try TestBundle.line()
    let model = try bundle.trainable()
    let first = try losses(of: model, rate: 0.1)
    let second = try losses(of: model, rate: 0.1)
    #expect(second[0] < first[19])
    model.unload()
    #expect(try losses(of: model, rate: 0.1) == first)
  }

  @Test func `a checkpoint restores the weights`() throws {
    let bundle = try TestBundle.line()
    let model = try bundle.trainable()
    _ = try losses(of: model, rate: 0.1)
    let trained: Float = try model.evaluate(batch)["loss"]
    let folder = try bundle.makeFolder("checkpoint folder")
    try model.export(to: folder)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == [
        "checkpoint.data-00000-of-00001", "checkpoint.index",
      ])
    let other = try bundle.trainable()
    #expect(try other.evaluate(batch)["loss", as: Float.self] != trained)
    try other.restore(from: folder)
    try #expect(other.evaluate(batch)["loss"] == trained)
    // A second export replaces the first.
    _ = try losses(of: other, rate: 0.1)
    let further: Float = try other.evaluate(batch)["loss"]
    try other.export(to: folder)
    try model.restore(from: folder)
    try #expect(model.evaluate(batch)["loss"] == further)
  }

  @Test func `an input that no output needs may be omitted in a run, but not in a step`() throws {
    let bundle = try TestBundle.line(outputs: [TestBundle.layer("prediction", [-1, 1])])
    let model = try bundle.trainable()
    let prediction: Float = try model.run(["x": [0, 1]])["prediction"]
    #expect(prediction.isFinite)
    var unlabelled = Batch(keys: ["x"])
    try unlabelled.addItem(["x": [0, 1]])
    let error = #expect(throws: TensorIOError.self) {
      try model.train(unlabelled, placeholders: ["learning_rate": 0.1])
    }
    #expect(error?.message.contains("'y'") == true, "\(error?.message ?? "")")
    let noRate = #expect(throws: TensorIOError.self) { try model.train(batch) }
    #expect(noRate?.code == .missingInput)
    #expect(noRate?.message.contains("'learning_rate'") == true, "\(noRate?.message ?? "")")
  }

  @Test func `a batch that doesn't fit is rejected, and the weights don't change`() throws {
    let bundle = try TestBundle.line()
    let model = try bundle.trainable()
    let before: Float = try model.evaluate(batch)["loss"]
    func refused(
      _ items: [Batch.Item], keys: [String] = ["x", "y"], naming parts: [String]
    ) throws {
      let batch = try Batch(keys: keys, items: items)
      let error = #expect(throws: TensorIOError.self) {
        try model.train(batch, placeholders: ["learning_rate": 0.1])
      }
      for part in parts {
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
      }
    }
    let good: Batch.Item = ["x": [0, 1], "y": 2]
    try refused([], naming: ["no items"])
    try refused(
      [good, ["x": [0, 1, 2], "y": 2]], naming: ["Item 1", "'x'", "2 values", "got 3"])
    try refused([["x": "text", "y": 2]], naming: ["'x'", "text"])
    try refused(
      [["x": [0, 1], "y": 2, "z": 1]], keys: ["x", "y", "z"], naming: ["'z'", "'x', 'y'"])
    try refused([["x": [0, 1]]], keys: ["x"], naming: ["'y'"])
    try #expect(model.evaluate(batch)["loss"] == before)
  }

  @Test func `training and inference at the same time give the same results as alone`() async throws
  {
    let bundle = try TestBundle.line()
    let model = try TrainableModel(
      at: bundle.path, loader: ModelLoader(backends: [SavedModels.backend], sessions: 4))
    let alone = try losses(of: bundle.trainable(), rate: 0.01, steps: 200)
    try await withThrowingTaskGroup(of: [Float].self) { group in
      group.addTask {
        var found: [Float] = []
        for _ in 0..<200 {
          found.append(
            try await model.train(batch, placeholders: ["learning_rate": Float(0.01)])["loss"])
        }
        return found
      }
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<200 {
            let loss: Float = try await model.evaluate(batch)["loss"]
            // The weights between two steps, or in the middle of one.
            #expect(loss > 0 && loss < 10)
          }
          return []
        }
      }
      for try await found in group where !found.isEmpty { #expect(found == alone) }
    }
  }

  @Test func `steps of several tasks run one after the other`() async throws {
    let bundle = try TestBundle.line()
    let model = try bundle.trainable()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<5 {
            try await model.train(batch, placeholders: ["learning_rate": Float(0.1)])
          }
        }
      }
      try await group.waitForAll()
    }
    let alone = try losses(of: bundle.trainable(), rate: 0.1)
    try await #expect(model.evaluate(batch)["loss"] == alone[19])
  }

  @Test func `missing operations and undescribed placeholders of a step are named`() throws {
    let missing = try TestBundle(
      "train_line", modes: "train",
      inputs: [TestBundle.layer("x", [-1, 2]), TestBundle.layer("y", [-1, 1])],
      outputs: [TestBundle.layer("loss", [1])], rest: #", "train": {"ops": ["trian"]}"#)
    let error = #expect(throws: TensorIOError.self) { try missing.trainable().load() }
    #expect(error?.message.contains("'trian'") == true)
    let unfed = try TestBundle(
      "train_line", modes: "train",
      inputs: [TestBundle.layer("x", [-1, 2]), TestBundle.layer("y", [-1, 1])],
      outputs: [TestBundle.layer("loss", [1])], rest: #", "train": {"ops": ["train"]}"#)
    let second = #expect(throws: TensorIOError.self) { try unfed.trainable().load() }
    #expect(second?.message.contains("'learning_rate'") == true)
    #expect(throws: TensorIOError.self) {
      try TrainableModel(
        at: SavedModels.root.appending(path: "Demo/digits.tiobundle").path,
        loader: SavedModels.loader)
    }
  }

  @Test(arguments: ["train", "value"])
  func `a signature that changes nothing isn't a training step, nor is an input`(
    _ operation: String
  ) throws {
    let bundle = try TestBundle(
      "assign_checked", modes: "train", inputs: [TestBundle.layer("value", [4])],
      outputs: [TestBundle.layer("stored", [4])],
      rest: #", "train": {"ops": ["\#(operation)"]}"#)
    let error = #expect(throws: TensorIOError.self) { try bundle.trainable().load() }
    #expect(error?.message.contains("'\(operation)'") == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("trains") == true, "\(error?.message ?? "")")
  }

  @Test func `a single number with a described batch axis is an error before the step`() throws {
    let bundle = try TestBundle.line(outputs: [TestBundle.layer("loss", [-1])])
    let model = try bundle.trainable()
    let before: Float = try model.run(["x": [0, 1], "y": 2])["loss"]
    let error = #expect(throws: TensorIOError.self) {
      try model.train(batch, placeholders: ["learning_rate": 0.1])
    }
    #expect(error?.message.contains("Write [] instead") == true, "\(error?.message ?? "")")
    try #expect(model.run(["x": [0, 1], "y": 2])["loss"] == before)
  }

  @Test func `dropout and Adam train on 64-bit labels`() throws {
    let bundle = try TestBundle(
      "train_adam", modes: "train",
      inputs: [
        TestBundle.layer("x", [-1, 2]), TestBundle.layer("label", [-1, 1], dtype: "int64"),
      ],
      outputs: [TestBundle.layer("loss", [1])],
      rest: #", "train": {"ops": ["train"]}, "placeholders": [\#(TestBundle.layer("keep", [1]))]"#)
    let series = try #require(
      Golden.series.first { golden in
        golden.model == "train_adam" && golden.inputs.contains { $0.name == "keep:0" }
      })
    let model = try bundle.trainable()
    let xs = try #require(series.inputs.first { $0.name == "x:0" }).values.map { Float($0.real) }
    let labels = try #require(series.inputs.first { $0.name == "label:0" }).values.map(\.whole)
    var batch = Batch(keys: ["x", "label"])
    for (row, label) in labels.enumerated() {
      try batch.addItem(["x": Array(xs[(row * 2)..<(row * 2 + 2)]), "label": label])
    }
    for expected in series.losses {
      let loss: Double = try model.train(batch, placeholders: ["keep": 1])["loss"]
      #expect(abs(loss - expected) < 1e-4)
    }
  }

  @Test func `a TensorFlow 2 model keeps its best weights and restores a checkpoint's`() throws {
    let bundle = try TestBundle.tf2Training()
    let model = try bundle.trainable()
    let data: [Batch.Item] = [(0, 1), (1, 3), (2, 5)].map { ["train_x": $0, "train_y": $1] }
    var options = TrainingOptions(
      epochs: 5, batchSize: 3, placeholders: ["train_rate": Float(0.1)])
    options.keepsBest = true
    let results = try Trainer(model, data: data, options: options).train()
    #expect(results.last?.isBest == true)
    let folder = try bundle.makeFolder("checkpoint")
    try model.export(to: folder)
    // A step returns the loss of the weights before it.
    func next(_ model: TrainableModel) throws -> Float {
      try model.train(
        Batch(keys: ["train_x", "train_y"], items: data),
        placeholders: ["train_rate": Float(0.1)])["loss"]
    }
    let other = try bundle.trainable()
    try other.restore(from: folder)
    try #expect(next(other) == next(model))
  }

  @Test func `a TensorFlow 2 model runs its training signature once per step`() throws {
    let bundle = try TestBundle.tf2Training()
    let model = try bundle.trainable()
    var batch = Batch(keys: ["train_x", "train_y"])
    for (x, y) in [(0, 1), (1, 3), (2, 5)] { try batch.addItem(["train_x": x, "train_y": y]) }
    var losses: [Float] = []
    for _ in 0..<3 {
      losses.append(try model.train(batch, placeholders: ["train_rate": Float(0.1)])["loss"])
    }
    // The signature that gives the loss also trains, so the loss can't be evaluated alone.
    let evaluation = #expect(throws: TensorIOError.self) {
      try model.evaluate(batch, placeholders: ["train_rate": Float(0.1)])
    }
    #expect(evaluation?.code == .unsupportedModel)
    #expect(evaluation?.message.contains("'loss' would train") == true)
    var options = TrainingOptions(placeholders: ["train_rate": Float(0.1)])
    options.validationShare = 0.4
    let validation = #expect(throws: TensorIOError.self) {
      try Trainer(model, data: batch.items, options: options).train()
    }
    #expect(validation?.code == .invalidOption)
    // Computes one step of gradient descent for y = wx + b at a time, from w = -0.5 and b = 0.25.
    var (w, b) = (Float(0), Float(0))
    let predicting = try prediction()
    let start = try SavedModels.loader.model(at: predicting.path)
    b = try start.run([0] as [Float])["prediction"]
    w = try start.run([1] as [Float])["prediction"] - b
    for loss in losses {
      let errors = [(Float(0), Float(1)), (1, 3), (2, 5)].map { (x, y) in (x, w * x + b - y) }
      let expected = errors.map { $0.1 * $0.1 }.reduce(0, +) / 3
      #expect(abs(loss - expected) < 1e-4)
      w -= 0.1 * errors.map { 2 * $0.1 * $0.0 }.reduce(0, +) / 3
      b -= 0.1 * errors.map { 2 * $0.1 }.reduce(0, +) / 3
    }
  }

  private func prediction() throws -> TestBundle {
    try TestBundle(
      "tf2_train", inputs: [TestBundle.layer("x", [-1, 1])],
      outputs: [TestBundle.layer("prediction", [-1, 1])])
  }
}
