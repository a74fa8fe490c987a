// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestSupport
import Testing

@testable import TensorIO

/// Tests validation and what depends on it.
struct TrainerValidationTests {
  private let line: LineFixture

  init() throws { line = try LineFixture(outputs: [.loss, .errors]) }

  @Test func `validation items are never trained on`() throws {
    var options = TrainingOptions(
      epochs: 4, batchSize: 3, placeholders: ["learning_rate": 0.001])
    options.validationShare = 0.25
    options.seed = 9
    let seen = Shared<Set<Float>>([])
    let items: [Batch.Item] = (0..<20).map { ["x": Noted(Float($0), seen), "target": 0] }
    let results = try Trainer(line.model, data: items, options: options).train()
    let trained = Set(line.backend.record.steps.flatMap { $0 })
    #expect(trained.count == 15)
    #expect(results.allSatisfy { $0.items == 15 && $0.validation?["loss"] != nil })
    // The other items are only evaluated.
    #expect(seen.value == Set((0..<20).map(Float.init)))
  }

  private struct Noted: TensorEncodable {
    let value: Float
    let seen: Shared<Set<Float>>
    var tensorElementCount: Int? { 1 }

    init(_ value: Float, _ seen: Shared<Set<Float>>) {
      self.value = value
      self.seen = seen
    }

    func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
      let value = value
      seen.change { $0.insert(value) }
      try value.encode(into: &memory, as: spec)
    }
  }

  @Test func `separate validation data is evaluated after each epoch`() throws {
    let data = LineFixture.points(3)
    var options = TrainingOptions(epochs: 2, batchSize: 2, placeholders: ["learning_rate": 0])
    options.validationShare = 0.5
    let trainer = Trainer(
      line.model, data: data, validation: [["x": 0, "target": 3], ["x": 1, "target": 1]],
      options: options)
    let results = try trainer.train()
    #expect(results.map { $0.validation?["loss"] } == [5, 5])
    #expect(results.map(\.items) == [3, 3])
    #expect(results.map(\.isBest) == [true, false])
  }

  @Test func `training stops when it no longer improves`() throws {
    var options = TrainingOptions(epochs: 50, placeholders: ["learning_rate": 0])
    options.earlyStopping = EarlyStopping(patience: 3)
    let results = try Trainer(line.model, data: LineFixture.points(4), options: options).train()
    #expect(results.count == 4)
    #expect(results.map(\.isBest) == [true, false, false, false])
  }

  @Test func `steps below the minimum improvement don't count`() throws {
    var options = TrainingOptions(epochs: 50, placeholders: ["learning_rate": 0.01])
    options.earlyStopping = EarlyStopping(patience: 2, minimumImprovement: 100)
    let results = try Trainer(
      line.model, data: LineFixture.nearPoints(4), options: options
    ).train()
    #expect(results.count == 3)
    // Yet each result is better than the one before.
    #expect(results.map(\.isBest) == [true, true, true])
  }

  @Test func `a metric that isn't defined in an epoch is no improvement`() throws {
    let line = try LineFixture()
    var options = TrainingOptions(epochs: 7, batchSize: 4, placeholders: ["learning_rate": 0.05])
    let calls = Mutex(0)
    options.measurement = { _ in
      let call = calls.withLock { calls in
        calls += 1
        return calls
      }
      let scores = [.nan, 0.5, .nan, nil, 0.6, .nan, nil] as [Double?]
      return scores[call - 1].map { [EpochMetric("score", $0)] } ?? []
    }
    options.monitoredMetric = "score"
    options.prefersHigher = true
    options.earlyStopping = EarlyStopping(patience: 3)
    let results = try Trainer(line.model, data: LineFixture.points(8), options: options).train()
    #expect(results.map(\.isBest) == [false, true, false, false, true, false, false])
  }

  @Test func `higher values can be better`() throws {
    var options = TrainingOptions(epochs: 50, placeholders: ["learning_rate": 0.01])
    options.prefersHigher = true
    options.monitoredOutput = "errors"
    options.earlyStopping = EarlyStopping(patience: 2)
    let results = try Trainer(
      line.model, data: LineFixture.nearPoints(4), options: options
    ).train()
    #expect(results.map(\.isBest) == [true, false, false])
  }

  @Test func `the best epoch's weights are kept, even if later epochs are worse`() throws {
    var options = TrainingOptions(epochs: 4, placeholders: ["learning_rate": 1.2])
    options.keepsBest = true
    var answers: [Float] = []
    let results = try Trainer(
      line.model, data: LineFixture.nearPoints(8), options: options
    ).train(onEpoch: { _ in answers.append(try line.answer) })
    let best = try #require(results.last { $0.isBest })
    #expect(best.epoch < results.count)
    #expect(try line.answer == answers[best.epoch - 1])
    #expect(try line.answer != answers[3])
  }

  @Test func `the best epoch's weights are restored if training fails later`() throws {
    var options = TrainingOptions(epochs: 500, placeholders: ["learning_rate": 3])
    options.keepsBest = true
    var first: Float?
    let trainer = Trainer(line.model, data: LineFixture.nearPoints(8), options: options)
    let error = #expect(throws: TensorIOError.self) {
      try trainer.train(onEpoch: { _ in if first == nil { first = try line.answer } })
    }
    #expect(error?.code == .trainingDiverged)
    #expect(try line.answer == first)
  }

  @Test func `a measurement decides which epoch is the best, and when the training ends`() throws {
    let line = try LineFixture()
    var options = TrainingOptions(epochs: 20, batchSize: 4, placeholders: ["learning_rate": 0.05])
    let scores = [0.5, 0.7, 0.9, 0.8, 0.9, 0.1]
    let calls = Mutex(0)
    options.measurement = { _ in
      let call = calls.withLock { calls in
        calls += 1
        return calls
      }
      return [EpochMetric("score", scores[call - 1]), EpochMetric("call", Double(call))]
    }
    options.monitoredMetric = "score"
    options.prefersHigher = true
    options.earlyStopping = EarlyStopping(patience: 3)
    let results = try Trainer(line.model, data: LineFixture.points(8), options: options).train()
    #expect(results.map(\.isBest) == [true, true, true, false, false, false])
    let measured = results.map { $0.metrics.first?.value }
    #expect(measured == scores)
    #expect(results.last?.metrics.last == EpochMetric("call", 6))
  }

  @Test func `a metric that isn't measured can't be monitored`() throws {
    let line = try LineFixture()
    var options = TrainingOptions(placeholders: ["learning_rate": 0.05])
    options.monitoredMetric = "scoer"
    let trainer = Trainer(line.model, data: LineFixture.points(8), options: options)
    #expect(throws: TensorIOError.self) { try trainer.train() }
    options.measurement = { _ in [EpochMetric("score", 1)] }
    let error = #expect(throws: TensorIOError.self) {
      try Trainer(line.model, data: LineFixture.points(8), options: options).train()
    }
    #expect(
      error?.message
        == "The metric 'scoer' can't be monitored, because it isn't measured. The metrics are 'score'."
    )
  }

  @Test func `items that don't have the weight that is promised are refused`() throws {
    let line = try LineFixture()
    func message(_ weights: ItemWeights) -> String? {
      var options = TrainingOptions(placeholders: ["learning_rate": 0.05])
      options.itemWeights = weights
      let trainer = Trainer(line.model, data: LineFixture.points(8), options: options)
      return #expect(throws: TensorIOError.self) { try trainer.train() }?.message
    }
    #expect(
      message(ItemWeights(input: "w") { _ in 1 })?
        .hasPrefix("The model has no input 'w' for the weights of items") == true)
    #expect(
      message(ItemWeights(input: "target") { _ in 1 })?
        .contains("has a value for 'target', which gets the weights of items") == true)
    let balanced = ItemWeights(input: "w", balancing: [0, 0, 0, 1])
    let weights = (0..<4).map(balanced.weight)
    let expected: [Double] = [2.0 / 3, 2.0 / 3, 2.0 / 3, 2]
    #expect(weights == expected)
  }
}
