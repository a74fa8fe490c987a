// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import TensorIO

/// Tests errors, cancellation, and the model's state after them.
struct TrainerEndingTests {
  private func options(_ epochs: Int = 1, _ batchSize: Int = 4) -> TrainingOptions {
    TrainingOptions(
      epochs: epochs, batchSize: batchSize, placeholders: ["learning_rate": 0.2])
  }

  @Test func `a loss that isn't finite ends the training`() throws {
    let line = try LineFixture()
    var options = options(100)
    options.placeholders = ["learning_rate": 1000]
    let trainer = Trainer(line.model, data: LineFixture.points(8), options: options)
    let error = #expect(throws: TensorIOError.self) { try trainer.train() }
    #expect(error?.code == .trainingDiverged)
    let pattern =
      /The output 'loss' is (inf|nan|-nan) in step [12] of epoch [0-9]+: .* smaller learning rate.*/
    try #expect(pattern.wholeMatch(in: error?.message ?? "") != nil, "\(error?.message ?? "")")
  }

  @Test func `a loss that isn't finite can be allowed`() throws {
    let line = try LineFixture()
    var options = options(30)
    options.placeholders = ["learning_rate": 1000]
    options.stopsAtNonFinite = false
    let results = try Trainer(
      line.model, data: LineFixture.points(8), options: options
    ).train()
    #expect(results.count == 30)
    #expect(results.last?.isBest == false)
  }

  @Test(arguments: [false, true])
  func `for an item that doesn't fit, the error names its index in the data`(isLast: Bool) throws {
    let line = try LineFixture()
    var items = LineFixture.points(9)
    let place = isLast ? 8 : 6
    items[place] = ["x": [1, 2], "target": 1]
    var options = options()
    options.shuffles = false
    let trainer = Trainer(line.model, data: items, options: options)
    let error = #expect(throws: TensorIOError.self) { try trainer.train() }
    #expect(error?.code == .wrongElementCount)
    #expect(
      error?.message == "Item \(place) of the data: 'x' takes 1 value (shape [1]), got 2.")
    #expect(line.backend.record.steps.count == place / 4)
  }

  @Test func `for an item without a value, the error names its index, whatever the order`() throws {
    let line = try LineFixture()
    var items = LineFixture.points(9)
    items[6] = ["x": 1]
    let error = #expect(throws: TensorIOError.self) {
      try Trainer(line.model, data: items, options: options()).train()
    }
    #expect(error?.message == "Item 6 of the data has no value for 'target'.")
  }

  @Test func `for an item of the validation data, the error says so`() throws {
    let line = try LineFixture()
    let trainer = Trainer(
      line.model, data: LineFixture.nearPoints(4),
      validation: LineFixture.points(5) + [["x": "one", "target": 1]], options: options())
    let error = #expect(throws: TensorIOError.self) { try trainer.train() }
    #expect(error?.message.hasPrefix("Item 5 of the validation data: 'x' takes ") == true)
  }

  @Test func `a token ends the training after a step`() throws {
    let line = try LineFixture()
    let token = CancellationToken()
    let trainer = Trainer(line.model, data: LineFixture.nearPoints(8), options: options(10))
    let results = try trainer.train(
      until: token, onStep: { if $0.epoch == 3 { token.cancel() } })
    #expect(results.count == 2)
    #expect(line.backend.record.steps.count == 5)
    #expect(try line.answer != 0)
    #expect(try Trainer(line.model, data: LineFixture.points(2)).train().count == 1)
  }

  @Test func `the stop condition can end the training during validation too`() throws {
    let line = try LineFixture()
    var options = options(10)
    options.validationShare = 0.5
    var questions = 0
    var epochs = 0
    // Each epoch has two training batches and two validation batches.
    let results = try Trainer(line.model, data: LineFixture.nearPoints(16), options: options).train(
      until: {
        questions += 1
        return questions > 7
      }, onStep: { _ in }, onEpoch: { _ in epochs += 1 })
    #expect(questions == 8)
    #expect(results.count == 1 && epochs == 1)
    #expect(line.backend.record.steps.count == 4)
  }

  @Test func `a cancelled task ends its training after a step`() async throws {
    let (steps, continuation) = AsyncStream.makeStream(of: Int.self)
    let line = try LineFixture(backend: LineBackend { continuation.yield($0) })
    let trainer = Trainer(
      line.model, data: LineFixture.nearPoints(8), options: options(10_000_000))
    let task = Task { try await trainer.train() }
    for await _ in steps { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try line.answer != 0)
    let again = try await Trainer(line.model, data: LineFixture.points(2)).train()
    #expect(again.count == 1)
  }

  @Test func `results can be iterated over`() async throws {
    let line = try LineFixture()
    let trainer = Trainer(line.model, data: LineFixture.nearPoints(8), options: options(5))
    var epochs: [Int] = []
    for try await result in trainer.epochs() { epochs.append(result.epoch) }
    #expect(epochs == [1, 2, 3, 4, 5])
  }

  @Test func `iterating throws the training's errors`() async throws {
    let line = try LineFixture()
    let trainer = Trainer(line.model, data: [Batch.Item](), options: options())
    await #expect(throws: TensorIOError.self) {
      for try await _ in trainer.epochs() {}
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `ending an iteration ends the training`() async throws {
    let line = try LineFixture()
    let trainer = Trainer(
      line.model, data: LineFixture.nearPoints(8), options: options(10_000_000))
    for try await result in trainer.epochs() where result.epoch > 2 { break }
    // Steps are added until the training returns its session.
    var before = -1
    while line.backend.record.steps.count != before {
      before = line.backend.record.steps.count
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(before >= 4)
  }

  @Test func `no items are an error`() throws {
    let line = try LineFixture()
    let error = #expect(throws: TensorIOError.self) {
      try Trainer(line.model, data: [Batch.Item]()).train()
    }
    #expect(error?.message == "The data has no items; add at least one.")
    let second = #expect(throws: TensorIOError.self) {
      try Trainer(line.model, data: LineFixture.points(1), validation: [Batch.Item]()).train()
    }
    #expect(second?.message == "The validation data has no items; add at least one.")
  }

  /// A change of the options, and the error's message.
  struct Refusal: Sendable {
    let change: @Sendable (inout TrainingOptions) -> Void
    let message: String

    init(_ message: String, _ change: @escaping @Sendable (inout TrainingOptions) -> Void) {
      self.message = message
      self.change = change
    }
  }

  static let refusals = [
    Refusal("epochs must be at least 1, got 0.") { $0.epochs = 0 },
    Refusal("batchSize must be at least 1, got 0.") { $0.batchSize = 0 },
    Refusal("validationShare must be at least 0 and less than 1, got 1.0.") {
      $0.validationShare = 1
    },
    Refusal("validationShare must be at least 0 and less than 1, got -0.1.") {
      $0.validationShare = -0.1
    },
    Refusal(
      "The validation share 0.9 of 4 items leaves none to train on. Lower the share, or add items."
    ) { $0.validationShare = 0.9 },
    Refusal("patience must be at least 1 epoch, got 0.") {
      $0.earlyStopping = EarlyStopping(patience: 0)
    },
    Refusal("The model has no output 'gain'; its only output is 'loss'.") {
      $0.monitoredOutput = "gain"
    },
    Refusal("The model has no placeholder 'rate'; its placeholders are 'learning_rate'.") {
      $0.placeholders = ["rate": 1]
    },
  ]

  @Test(arguments: refusals)
  func `invalid options are errors`(refusal: Refusal) throws {
    let line = try LineFixture()
    var options = options()
    refusal.change(&options)
    let trainer = Trainer(line.model, data: LineFixture.points(4), options: options)
    let error = #expect(throws: TensorIOError.self) { try trainer.train() }
    #expect(error?.message == refusal.message)
    #expect(line.backend.record.steps.isEmpty)
  }
}
