// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOLiteRT
import TestSupport
import Testing

/// Trains files with training signatures, with the same class that trains TensorFlow's SavedModels.
@Suite struct LiteRTTrainingTests {
  private let golden = GoldenTraining.builtin

  private func predict(_ model: some Model) throws -> [Float] {
    try golden.x.flatMap { try model.run(["x": $0])["prediction", as: [Float].self] }
  }

  @Test func `losses equal TensorFlow's, step by step`() throws {
    let bundle = try TrainingBundle(outputs: TrainingBundle.loss)
    let model = try bundle.model()
    var losses: [Float] = []
    for _ in golden.losses {
      let outputs = try model.train(golden.batch(), placeholders: ["rate": golden.rate])
      losses.append(try outputs["loss"])
    }
    #expect(golden.agrees(losses, golden.losses), "\(losses)")
  }

  @Test func `a step returns the outputs of the model after the step`() throws {
    let bundle = try TrainingBundle(outputs: TrainingBundle.prediction)
    let model = try bundle.model()
    var last: [Float] = []
    for _ in golden.losses {
      let outputs = try model.train(golden.batch(), placeholders: ["rate": golden.rate])
      last = try outputs["prediction"]
    }
    #expect(golden.agrees(last, golden.predictionAfter.flatMap(\.self)), "\(last)")
  }

  @Test func `inference uses the trained weights, and evaluation doesn't train`() throws {
    let bundle = try TrainingBundle(outputs: TrainingBundle.prediction)
    let model = try bundle.model()
    #expect(golden.agrees(try predict(model), golden.predictionBefore.flatMap(\.self)))
    try golden.train(model)
    let after = golden.predictionAfter.flatMap(\.self)
    #expect(golden.agrees(try predict(model), after))
    for _ in 0..<3 {
      let outputs = try model.evaluate(golden.batch(), placeholders: ["rate": golden.rate])
      #expect(golden.agrees(try outputs["prediction"], after))
    }
    // Inputs that only training needs may be omitted or given.
    #expect(golden.agrees(try predict(model), after))
    let alone = try Batch(keys: ["x"], items: golden.x.map { ["x": $0] })
    try #expect(golden.agrees(model.evaluate(alone)["prediction"], after))
    let whole: ModelInputs = ["x": golden.x[0], "y": golden.y[0]]
    let outputs = try model.run(whole, placeholders: ["rate": 1])
    try #expect(golden.agrees(outputs["prediction"], golden.predictionAfter[0]))
    #expect(try model.loadWarnings().isEmpty)
  }

  @Test func `the described signature is found, preferably one that doesn't train`()
    throws
  {
    for signature in [nil, "infer"] {
      let bundle = try TrainingBundle(outputs: TrainingBundle.prediction, signature: signature)
      try #expect(predict(bundle.model()).count == 8)
    }
    let weights = try TrainingBundle(
      outputs: #"{"name": "bias", "type": "array", "shape": [2]}"#)
    let model = try weights.model()
    try golden.train(model)
    let outputs = try model.evaluate(golden.batch(of: 1))
    try #expect(golden.agrees(outputs["bias"], golden.bias))
  }

  @Test func `unloading discards the trained weights`() throws {
    let bundle = try TrainingBundle(outputs: TrainingBundle.prediction)
    let model = try bundle.model()
    let before = try predict(model)
    for _ in 0..<3 {
      try golden.train(model)
      try #expect(predict(model) != before)
      model.unload()
      try #expect(predict(model) == before)
    }
    try golden.train(model)
    model.unload()
    try golden.train(model)
    #expect(golden.agrees(try predict(model), golden.predictionAfter.flatMap(\.self)))
  }

  @Test func `batches may have any size and be mixed with single runs`() throws {
    let bundle = try TrainingBundle(outputs: TrainingBundle.prediction)
    let (model, other) = (try bundle.model(), try bundle.model())
    for count in [4, 1, 7, 2, 64, 3, 3, 1] {
      let batch = try golden.batch(of: count)
      let outputs = try model.train(batch, placeholders: ["rate": 0.01])
      let together: [Float] = try outputs["prediction"]
      try other.train(batch, placeholders: ["rate": 0.01])
      #expect(together.count == 2 * count)
      let alone = try (0..<count).flatMap {
        try model.run(["x": golden.x[$0 % 4]])["prediction", as: [Float].self]
      }
      #expect(golden.agrees(together, alone))
      try #expect(golden.agrees(model.evaluate(batch)["prediction"], alone))
      try #expect(predict(model) == predict(other))
    }
  }

  @Test func `two models of one file are trained independently`() throws {
    let bundle = try TrainingBundle(outputs: TrainingBundle.prediction)
    let (one, two) = (try bundle.model(), try bundle.model())
    let before = try predict(two)
    try golden.train(one)
    try #expect(predict(two) == before)
  }

  @Test func `training while many tasks run inference gives the same results`() async throws {
    let bundle = try TrainingBundle(outputs: TrainingBundle.prediction)
    let model = try bundle.model()
    let golden = golden
    let steps = 200
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          for _ in 0..<(steps / 4) {
            // With a rate of 0, the weights don't change, whichever step comes first.
            let outputs = try await model.train(
              golden.batch(of: 1 + task), placeholders: ["rate": 0])
            #expect(try outputs["prediction", as: [Float].self].count == 2 * (1 + task))
          }
        }
        group.addTask {
          for index in 0..<steps {
            let item = index % 4
            let outputs = try await model.run(["x": golden.x[item]])
            #expect(golden.agrees(try outputs["prediction"], golden.predictionBefore[item]))
          }
        }
        group.addTask {
          for _ in 0..<(steps / 4) {
            let outputs = try await model.evaluate(golden.batch())
            let expected = golden.predictionBefore.flatMap(\.self)
            #expect(golden.agrees(try outputs["prediction"], expected))
          }
        }
      }
      try await group.waitForAll()
    }
    try golden.train(model)
    #expect(golden.agrees(try predict(model), golden.predictionAfter.flatMap(\.self)))
  }

  @Test func `all steps of many tasks are applied`() async throws {
    let bundle = try TrainingBundle(outputs: TrainingBundle.prediction)
    let model = try bundle.model()
    let golden = golden
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<golden.losses.count {
        group.addTask {
          try await model.train(golden.batch(), placeholders: ["rate": golden.rate])
        }
        group.addTask { _ = try await model.run(["x": golden.x[0]]) as ModelOutputs }
      }
      try await group.waitForAll()
    }
    #expect(golden.agrees(try predict(model), golden.predictionAfter.flatMap(\.self)))
  }

  @Test func `training, unloading and loading keep memory constant`() async {
    await #expect(processExitsWith: .success) {
      let golden = GoldenTraining.builtin
      let bundle = try TrainingBundle(outputs: TrainingBundle.prediction)
      let folder = bundle.path
      let model = try bundle.model()
      func cycle(_ count: Int) throws {
        for index in 0..<count {
          let batch = try golden.batch(of: 1 + index % 5)
          try model.train(batch, placeholders: ["rate": golden.rate])
          _ = try model.evaluate(batch)
          try model.export(to: folder)
          try model.restore(from: folder)
          if index % 4 == 0 { model.unload() }
        }
      }
      try cycle(200)
      let before = try residentKilobytes()
      try cycle(800)
      let growth = try residentKilobytes() - before
      guard growth < 4_000 else { throw TensorIOError(.internalFault, "grew by \(growth) kB") }
    }
  }
}
