// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import TensorIO

struct TrainerTests {
  private let line: LineFixture

  init() throws { line = try LineFixture(outputs: [.loss, .errors, .y]) }

  /// Options with which the model learns quickly.
  private func options(_ epochs: Int = 1, _ batchSize: Int = 32) -> TrainingOptions {
    TrainingOptions(
      epochs: epochs, batchSize: batchSize, placeholders: ["learning_rate": 0.2])
  }

  /// Options whose steps change almost nothing.
  private func stillOptions(_ epochs: Int = 1, _ batchSize: Int = 32) -> TrainingOptions {
    TrainingOptions(
      epochs: epochs, batchSize: batchSize, placeholders: ["learning_rate": 0])
  }

  @Test func `a model learns over epochs`() async throws {
    let trainer = Trainer(
      line.model, data: LineFixture.nearPoints(40), options: options(60, 8))
    let results = try await trainer.train()
    #expect(results.count == 60)
    #expect(results.map(\.epoch) == Array(1...60))
    #expect(try #require(results.last?.training["loss"]) < 1e-6)
    #expect(abs(try line.answer - 21) < 0.01)
  }

  @Test func `the last step of an epoch has the remaining items`() throws {
    let trainer = Trainer(line.model, data: LineFixture.points(10), options: stillOptions(2, 4))
    var steps: [TrainingStep] = []
    let results = try trainer.train(onStep: { steps.append($0) })
    #expect(line.backend.record.steps.map(\.count) == [4, 4, 2, 4, 4, 2])
    #expect(steps.map(\.items) == [4, 4, 2, 4, 4, 2])
    #expect(steps.map(\.step) == [1, 2, 3, 1, 2, 3])
    #expect(steps.map(\.epoch) == [1, 1, 1, 2, 2, 2])
    #expect(steps.allSatisfy { $0.stepsPerEpoch == 3 && $0.stepsPerSecond > 0 })
    #expect(results.map(\.steps) == [3, 3])
    #expect(results.map(\.items) == [10, 10])
  }

  @Test func `a batch may be larger than the data`() throws {
    let trainer = Trainer(
      line.model, data: LineFixture.points(3), options: stillOptions(1, .max))
    #expect(try trainer.train()[0].steps == 1)
  }

  @Test func `means are weighted by the number of items in each step`() throws {
    var options = stillOptions(1, 2)
    options.shuffles = false
    let trainer = Trainer(line.model, data: LineFixture.points(3), options: options)
    var steps: [OutputMeans] = []
    let result = try trainer.train(onStep: { steps.append($0.means) })[0]
    // With weight and bias 0, the squared errors are 1, 9 and 25.
    #expect(steps.map { $0["loss"] } == [5, 25])
    #expect(steps.map { $0["errors"] } == [5, 25])
    #expect(result.training["loss"] == 35.0 / 3)
    #expect(result.training["errors"] == 35.0 / 3)
    #expect(result.training.names == ["loss", "errors", "y"])
    #expect(result.training["nothing"] == nil)
    #expect(result.validation == nil)
    try #expect(result.lastOutputs["loss", as: Float.self] == 25)
  }

  @Test func `each epoch has all items in a different order`() throws {
    let trainer = Trainer(line.model, data: LineFixture.points(20), options: stillOptions(2))
    try trainer.train()
    let orders = line.backend.record.steps
    #expect(orders.count == 2 && orders[0] != orders[1])
    #expect(orders.allSatisfy { $0.sorted() == (0..<20).map(Float.init) && $0 != $0.sorted() })
  }

  @Test func `the same seed gives the same orders, and another seed gives others`() throws {
    func orders(seed: UInt64) throws -> [[Float]] {
      let line = try LineFixture()
      var options = stillOptions(3, 7)
      options.seed = seed
      try Trainer(line.model, data: LineFixture.points(20), options: options).train()
      return line.backend.record.steps
    }
    #expect(try orders(seed: 5) == orders(seed: 5))
    #expect(try orders(seed: 5) != orders(seed: 6))
  }

  @Test func `a seed gives the same order on every machine`() throws {
    // A Python implementation with the published constants gives the same.
    try Trainer(line.model, data: LineFixture.points(8), options: stillOptions()).train()
    #expect(line.backend.record.steps == [[1, 2, 6, 5, 4, 0, 3, 7]])
  }

  @Test func `items keep their order without shuffling`() throws {
    var options = stillOptions(2, 3)
    options.shuffles = false
    try Trainer(line.model, data: LineFixture.points(5), options: options).train()
    #expect(line.backend.record.steps == [[0, 1, 2], [3, 4], [0, 1, 2], [3, 4]])
  }

  @Test func `without shuffling, each epoch has random changes of its own`() throws {
    var options = stillOptions(3, 5)
    options.shuffles = false
    options.augmentations = [.mixUp(alpha: 1)]
    try Trainer(line.model, data: LineFixture.points(5), options: options).train()
    let epochs = line.backend.record.steps
    #expect(epochs.count == 3)
    #expect(Set(epochs).count == 3, "\(epochs)")
  }

  @Test func `the loss is an output with such a name, or the first one`() {
    func loss(_ names: String...) -> String? {
      OutputMeans(names.map { (name: $0, value: 1) }).loss?.name
    }
    #expect(loss("accuracy", "total_Loss", "loss") == "total_Loss")
    #expect(loss("accuracy", "error") == "accuracy")
    #expect(loss() == nil)
  }

  @Test func `values aren't encoded before their step`() throws {
    let count = Shared(0)
    let items: [Batch.Item] = (0..<6).map { _ in ["x": Lazy(count: count), "target": 0] }
    var seen: [Int] = []
    let trainer = Trainer(line.model, data: items, options: stillOptions(1, 2))
    try trainer.train(onStep: { _ in seen.append(count.value) })
    #expect(seen == [2, 4, 6])
  }

  private struct Lazy: TensorEncodable {
    let count: Shared<Int>
    var tensorElementCount: Int? { 1 }

    func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
      count.change { $0 += 1 }
      try Float(0).encode(into: &memory, as: spec)
    }
  }
}
