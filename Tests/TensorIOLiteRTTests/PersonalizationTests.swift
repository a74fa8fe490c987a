// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOLiteRT
import TestSupport
import Testing

/// Fine-tunes a .tflite file within limits, and opens what it has learned later.
@Suite struct PersonalizationTests {
  private let golden = GoldenTraining.builtin

  private func items(_ count: Int) -> [Batch.Item] {
    (0..<count).map { index in
      let x = (0..<3).map { Float((index * 7 + $0 * 3) % 11) / 11 }
      return ["x": x, "y": [x[0] - x[1], 2 * x[2]]]
    }
  }

  private func options(_ epochs: Int) -> TrainingOptions {
    TrainingOptions(epochs: epochs, batchSize: 4, placeholders: ["rate": golden.rate])
  }

  private func predict(_ model: some Model) throws -> [Float] {
    try model.run(["x": [0.25, 0.5, 0.75] as [Float], "y": [0, 0] as [Float]])["prediction"]
  }

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; the test needs LiteRT."))
  func `losses and weights equal those of Python's interpreter`() async throws {
    let bundle = try TrainingBundle(outputs: TrainingBundle.loss, signature: "train")
    let model = try bundle.model()
    let data = items(10)
    var options = options(5)
    options.shuffles = false
    var losses: [Double] = []
    _ = try Trainer(model, data: data, options: options).blockingRun {
      losses.append($0.means["loss"] ?? .nan)
    }
    try model.export(to: bundle.path)
    var steps: [[String: JSON]] = []
    for _ in 0..<5 {
      for start in stride(from: 0, to: 10, by: 4) {
        let batch = data[start..<min(10, start + 4)]
        steps.append([
          "x": .rows(batch.compactMap { $0["x"] as? [Float] }),
          "y": .rows(batch.compactMap { $0["y"] as? [Float] }), "rate": .number(golden.rate),
        ])
      }
    }
    let output = try await Python.run(
      ["Tools/peers/train_lite.py", Fixtures.model("train_builtin.tflite")],
      input: JSONEncoder().encode(steps))
    let expected = try JSONDecoder().decode(Trained.self, from: Data(output.utf8))
    let read = try await Python.run(
      ["Tools/peers/read_safetensors.py", bundle.path + "/checkpoint.safetensors"])
    let weights = try JSONDecoder().decode(Weights.self, from: Data(read.utf8))
    // The step's loss is from before the step in both.
    #expect(losses.count == 15 && expected.losses.count == 15)
    for (found, wanted) in zip(losses, expected.losses) { #expect(abs(found - wanted) < 1e-6) }
    for (found, wanted) in zip(weights.all, expected.weights.all) {
      #expect(abs(found - wanted) < 1e-6)
    }
    #expect(weights.all.count == 8 && expected.weights.all.count == 8)
  }

  private enum JSON: Encodable {
    case number(Float)
    case rows([[Float]])

    func encode(to encoder: any Encoder) throws {
      switch self {
      case .number(let number): try number.encode(to: encoder)
      case .rows(let rows): try rows.encode(to: encoder)
      }
    }
  }

  private struct Weights: Decodable {
    let weight: [[Float]]
    let bias: [Float]
    var all: [Float] { weight.flatMap(\.self) + bias }
  }

  private struct Trained: Decodable {
    let losses: [Double]
    let weights: Weights
  }

  // Another test could change the process's memory, so this one has a process of its own.
  @Test func `a personalization ends in time, within its memory, and better than before`() async {
    await #expect(processExitsWith: .success) {
      let tests = PersonalizationTests()
      let bundle = try TrainingBundle(outputs: TrainingBundle.loss)
      let predicting = try TrainingBundle(outputs: TrainingBundle.prediction)
      let (model, other) = (try bundle.model(), try predicting.model())
      let before = try tests.error(of: other)
      var options = tests.options(10_000_000)
      options.keepsBest = true
      options.limits = TrainingLimits(time: .seconds(2), memory: 64 << 20)
      let clock = ContinuousClock()
      let start = clock.now
      let summary = try Trainer(model, data: tests.items(16), options: options).blockingRun()
      let took = clock.now - start
      try model.export(to: bundle.path)
      try other.restore(from: bundle.path)
      let after = try tests.error(of: other)
      // Steps take microseconds, so the rest of the time is for a machine that stops the process.
      guard summary.ending == .timeLimit, summary.steps > 100,
        try #require(summary.memoryGrowth) <= 64 << 20, took < .seconds(20), after < before / 10
      else {
        print(summary.ending, summary.steps, summary.memoryGrowth ?? 0, took, before, after)
        exit(3)
      }
    }
  }

  /// Returns the mean squared error of the predictions.
  private func error(of model: TrainableModel) throws -> Double {
    let items = items(16)
    let found: [Float] = try model.evaluate(Batch(keys: ["x", "y"], items: items))["prediction"]
    let wanted = items.flatMap { $0["y"] as? [Float] ?? [] }
    return zip(found, wanted).reduce(0) { $0 + Double(($1.0 - $1.1) * ($1.0 - $1.1)) }
      / Double(wanted.count)
  }

  @Test func `a batch whose tensors exceed the limit is refused before the step`() throws {
    let bundle = try TrainingBundle(outputs: TrainingBundle.prediction)
    let model = try bundle.model()
    let before = try predict(model)
    var options = options(1)
    options.batchSize = 100_000
    options.limits.memory = 4 << 20
    let trainer = Trainer(
      model, data: repeatElement(items(1)[0], count: 100_000), options: options)
    let error = #expect(throws: TensorIOError.self) { _ = try trainer.blockingRun() }
    #expect(error?.code == .invalidOption)
    #expect(
      error?.message.contains("on 100000 items needs about") == true, "\(error?.message ?? "")")
    #expect(try predict(model) == before)
  }

  @Test func `what was learned is a bundle that every loader opens`() throws {
    let bundle = try TrainingBundle(outputs: TrainingBundle.prediction)
    let model = try bundle.model()
    let before = try predict(model)
    _ = try Trainer(model, data: items(16), options: options(20)).blockingRun()
    let learned = try predict(model)
    #expect(learned != before)
    let path = bundle.path + "/mine.tiobundle"
    try model.exportBundle(to: path)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        == ["model.json", "model.tflite", "weights.safetensors"])
    let opened = try ModelLoader(backends: [.liteRT]).model(at: path)
    #expect(try predict(opened) == learned)
    // It can be trained further, and starts from the file again when it is unloaded.
    let trainable = try #require(opened as? TrainableModel)
    _ = try Trainer(trainable, data: items(16), options: options(1)).blockingRun()
    #expect(try predict(trainable) != learned)
    trainable.unload()
    #expect(try predict(trainable) == learned)
    // A bundle only for inference has the weights, too.
    let json = try String(contentsOfFile: path + "/model.json", encoding: .utf8)
    let predicting = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    var root = try #require(predicting)
    var part = try #require(root["model"] as? [String: Any])
    part["modes"] = ["predict"]
    part["signature"] = "infer"
    root["model"] = part
    root["train"] = nil
    root["placeholders"] = nil
    root["inputs"] = [["name": "x", "type": "array", "shape": [-1, 3]]]
    try JSONSerialization.data(withJSONObject: root).write(to: URL(filePath: path + "/model.json"))
    let infer = try ModelLoader(backends: [.liteRT], sessions: 2).model(at: path)
    let found: [Float] = try infer.run(["x": [0.25, 0.5, 0.75] as [Float]])["prediction"]
    #expect(found == learned)
  }

  @Test func `damaged and foreign weights are refused when the bundle is opened`() throws {
    let bundle = try TrainingBundle(outputs: TrainingBundle.prediction)
    let path = bundle.path + "/mine.tiobundle"
    try bundle.model().exportBundle(to: path)
    let file = URL(filePath: path + "/weights.safetensors")
    let good = try Data(contentsOf: file)
    var foreign = good
    let range = try #require(foreign.firstRange(of: Data("bias".utf8)))
    foreign.replaceSubrange(range, with: Data("bios".utf8))
    for damaged in [Data(), good.dropLast(), good + [0], good.dropFirst(3), foreign] {
      try Data(damaged).write(to: file)
      let error = #expect(throws: TensorIOError.self) {
        try predict(ModelLoader(backends: [.liteRT]).model(at: path))
      }
      #expect(error?.code == .invalidModel, "\(error?.message ?? "")")
      #expect(error?.message.contains("weights.safetensors") == true)
    }
    try FileManager.default.removeItem(at: file)
    let error = #expect(throws: TensorIOError.self) { try ModelBundle(path) }
    #expect(error?.issues.contains { $0.path == "model.weights" } == true)
    try good.write(to: file)
    #expect(throws: Never.self) { try predict(ModelLoader(backends: [.liteRT]).model(at: path)) }
  }
}

extension Trainer {
  /// Runs the training, also in functions that could await it.
  fileprivate func blockingRun(
    onStep: (TrainingStep) throws -> Void = { _ in }
  ) throws -> TrainingSummary {
    try run(onStep: onStep)
  }
}
