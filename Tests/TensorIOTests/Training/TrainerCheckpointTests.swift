// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import TensorIO

/// Tests of checkpoints, and of trainings that continue from them.
@Suite struct TrainerCheckpointTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/run" }

  init() throws { folder = try TemporaryFolder() }

  private func options(epochs: Int = 4, resumes: Bool = false, kept: Int = 2) -> TrainingOptions {
    var options = TrainingOptions(epochs: epochs, batchSize: 4)
    options.schedules["learning_rate"] = ValueSchedule(0.3, .cosine(lowest: 0.1), warmUpSteps: 2)
    options.validationShare = 0.2
    options.seed = 3
    options.keepsBest = true
    options.checkpoints = CheckpointOptions(folder: path, kept: kept, resumes: resumes)
    return options
  }

  private func contents() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  /// A training's results, and what its steps saw.
  private struct Outcome: Equatable {
    var losses: [Double]
    var validation: [Double?]
    var steps: [[Float]]
    var answer: Float
  }

  private func outcome(
    of line: LineFixture, _ options: TrainingOptions, until isOver: () -> Bool = { false },
    asks: () -> Bool = { false }
  ) throws -> Outcome {
    let results = try Trainer(line.model, data: LineFixture.nearPoints(20), options: options)
      .train(until: isOver, wantsCheckpoint: asks, onStep: { _ in }, onEpoch: { _ in })
    return Outcome(
      losses: results.compactMap { $0.training["loss"] },
      validation: results.map { $0.validation?["loss"] }, steps: line.backend.record.steps,
      answer: try line.answer)
  }

  @Test(arguments: 1...24)
  func `a training that ends at any point continues as if it hadn't`(_ calls: Int) throws {
    var whole = options()
    whole.checkpoints = nil
    let expected = try outcome(of: LineFixture(), whole)
    #expect(expected.losses.count == 4 && expected.steps.count == 16)
    // The training asks before each batch of training and validation.
    var asked = 0
    let first = try outcome(of: LineFixture(), options()) {
      asked += 1
      return asked >= calls
    }
    let second = try outcome(of: LineFixture(), options(resumes: true))
    #expect(first.losses + second.losses == expected.losses)
    #expect(first.validation + second.validation == expected.validation)
    #expect(first.steps + second.steps == expected.steps)
    #expect(second.answer == expected.answer)
  }

  @Test func `a checkpoint is written when it is asked for`() throws {
    var steps = 0
    // The process ends in the middle of the second epoch, after somebody asked for a checkpoint.
    let line = try LineFixture(
      backend: LineBackend(onStep: { _ in
        if FileManager.default.fileExists(atPath: path + "/epoch-00001-step-0000002") {
          throw CancellationError()
        }
      }))
    #expect(throws: CancellationError.self) {
      _ = try outcome(
        of: line, options(),
        asks: {
          steps += 1
          return steps == 6
        })
    }
    #expect(try contents() == ["epoch-00001", "epoch-00001-step-0000002"])
    var whole = options()
    whole.checkpoints = nil
    let expected = try outcome(of: LineFixture(), whole)
    let rest = try outcome(of: LineFixture(), options(resumes: true))
    #expect(rest.losses == Array(expected.losses[1...]))
    #expect(rest.steps == Array(expected.steps[6...]))
    #expect(rest.answer == expected.answer)
  }

  @Test func `the last checkpoints and the best one are kept`() throws {
    var options = options(epochs: 6)
    options.schedules = [:]
    // The weights grow from epoch to epoch.
    options.placeholders = ["learning_rate": 1.2]
    _ = try outcome(of: LineFixture(), options)
    #expect(try contents() == ["epoch-00001", "epoch-00005", "epoch-00006"])
    // A training that is complete trains nothing, and ends with its best weights.
    options.checkpoints?.resumes = true
    let again = try outcome(of: LineFixture(), options)
    #expect(again.losses.isEmpty && again.steps.isEmpty)
    var one = options
    one.epochs = 1
    one.checkpoints = nil
    #expect(try outcome(of: LineFixture(), one).answer == again.answer)
  }

  @Test func `early stopping goes on counting`() throws {
    var options = options(epochs: 50)
    options.schedules = [:]
    options.placeholders = ["learning_rate": 0]
    options.earlyStopping = EarlyStopping(patience: 4)
    var epochs = 0
    let trainer = Trainer(
      try LineFixture().model, data: LineFixture.nearPoints(20), options: options)
    try trainer.train(until: { epochs == 2 }, onStep: { _ in }, onEpoch: { _ in epochs += 1 })
    options.checkpoints?.resumes = true
    let rest = try Trainer(
      LineFixture().model, data: LineFixture.nearPoints(20), options: options
    ).train()
    #expect(rest.map(\.epoch) == [3, 4, 5])
  }

  @Test func `another training isn't continued or overwritten`() throws {
    _ = try outcome(of: LineFixture(), options(epochs: 1))
    let before = try contents()
    func message(_ options: TrainingOptions) -> String? {
      #expect(throws: TensorIOError.self) { _ = try outcome(of: LineFixture(), options) }?.message
    }
    #expect(
      message(options())
        == "The folder '\(path)' has the checkpoint 'epoch-00001' of an earlier training. Continue from it "
        + "(`resumes`, or --resume), or choose another folder.")
    var other = options(resumes: true)
    other.batchSize = 5
    #expect(message(other)?.contains("a batch size of 4, and this one has 5.") == true)
    other = options(resumes: true)
    other.seed = 4
    #expect(message(other)?.contains("the seed 3, and this one has 4.") == true)
    let file = path + "/epoch-00001/training.json"
    let text = try String(contentsOfFile: file, encoding: .utf8)
    for damaged in [
      "{\"version\"", text.replacing("\"step\" : 0", with: "\"step\" : -1"),
      text.replacing("\"epochs\" : 1", with: "\"epochs\" : 9223372036854775807"),
      text.replacing(
        "\"epochsWithoutImprovement\" : 0",
        with: "\"epochsWithoutImprovement\" : 9223372036854775807"),
    ] {
      #expect(damaged != text)
      try damaged.write(toFile: file, atomically: true, encoding: .utf8)
      #expect(message(options(resumes: true))?.contains("training.json' is damaged.") == true)
    }
    #expect(try contents() == before)
  }

  @Test func `a training that continues says which notes changed`() throws {
    func changes(_ notes: [String: String], resumes: Bool = true) throws -> [ChangedSetting] {
      var options = options(epochs: 9, resumes: resumes)
      options.notes = notes
      var found: [ChangedSetting] = []
      let trainer = try Trainer(
        LineFixture().model, data: LineFixture.nearPoints(20), options: options)
      var steps = 0
      _ = try trainer.summary(
        until: { steps > 1 }, onResume: { found = $2 }, onStep: { _ in steps += 1 },
        onEpoch: { _ in })
      return found
    }
    #expect(try changes([:], resumes: false) == [])
    // A checkpoint of an earlier version has no notes, and nothing is known of its training.
    #expect(try changes(["rate": "1", "data": "a"]) == [])
    #expect(try changes(["rate": "1", "data": "a"]) == [])
    #expect(
      try changes(["rate": "2", "balance": "label"]) == [
        ChangedSetting(name: "balance", before: nil, now: "label"),
        ChangedSetting(name: "data", before: "a", now: nil),
        ChangedSetting(name: "rate", before: "1", now: "2"),
      ])
    #expect(try changes(["rate": "2", "balance": "label"]) == [])
  }

  #if os(Linux)
  @Test func `a folder that can't be written is an error before the first step`() throws {
    var options = options()
    options.checkpoints?.folder = "/proc/self"
    let line = try LineFixture()
    let error = #expect(throws: TensorIOError.self) { _ = try outcome(of: line, options) }
    #expect(error?.code == .unwritableFile)
    #expect(error?.message.hasPrefix("The folder '/proc/self' can't be written: ") == true)
    #expect(line.backend.record.steps.isEmpty)
  }
  #endif

  @Test func `what a process left when it ended isn't a checkpoint`() throws {
    _ = try outcome(of: LineFixture(), options(epochs: 1))
    for name in ["epoch-00002", ".epoch-00002-unfinished"] {
      try FileManager.default.createDirectory(
        atPath: path + "/" + name, withIntermediateDirectories: false)
    }
    let rest = try Trainer(
      LineFixture().model, data: LineFixture.nearPoints(20),
      options: options(epochs: 1, resumes: true)
    ).train()
    #expect(rest.isEmpty)
    #expect(try contents() == ["epoch-00001", "epoch-00002"])
    // Its name is used again, also if files are in it.
    try Data().write(to: URL(filePath: path + "/epoch-00002/checkpoint.index"))
    _ = try outcome(of: LineFixture(), options(epochs: 3, resumes: true, kept: 3))
    #expect(try contents() == ["epoch-00001", "epoch-00002", "epoch-00003"])
  }

  @Test func `two trainings can't write into one folder`() throws {
    let (path, second) = (path, try LineFixture())
    let trainer = Trainer(
      second.model, data: LineFixture.nearPoints(20), options: options(resumes: true))
    let first = try LineFixture(
      backend: LineBackend { _ in
        let error = #expect(throws: TensorIOError.self) { try trainer.check() }
        #expect(error?.code == .fileExists)
        #expect(
          error?.message
            == "Another training writes checkpoints into the folder '\(path)'. Choose another folder, "
            + "or end that training first.")
        throw CancellationError()
      })
    #expect(throws: CancellationError.self) { _ = try outcome(of: first, options()) }
    // The folder is free after the training.
    #expect(try trainer.train().count == 4)
  }

  /// A training that is cancelled during the measurement of its second epoch, which then has measured a part.
  @Test(arguments: [false, true], [false, true])
  func `a training that ends during a measurement doesn't use it, and continues after it`(
    onlyTrains: Bool, throwsError: Bool
  ) throws {
    var options = options(epochs: 3)
    options.validationShare = onlyTrains ? 0 : 0.2
    options.monitoredMetric = "score"
    options.prefersHigher = true
    var backend = LineBackend()
    backend.onlyTrains = onlyTrains
    let scores = Mutex([0.5, 0.9, 0.6, 0.7])
    let isOver = Mutex(false)
    options.measurement = { _ in
      let score = scores.withLock { $0.removeFirst() }
      guard score == 0.9 else { return [EpochMetric("score", score)] }
      isOver.withLock { $0 = true }
      if throwsError { throw CancellationError() }
      return [EpochMetric("score", score)]
    }
    var fixture = try LineFixture(backend: backend)
    let first = try outcome(of: fixture, options) { isOver.withLock { $0 } }
    #expect(first.losses.count == 1)
    let steps = onlyTrains ? 5 : 4
    #expect(try contents() == ["epoch-00001", "epoch-00001-step-000000\(steps)"])
    options.checkpoints?.resumes = true
    fixture = try LineFixture(backend: backend)
    let results = try Trainer(fixture.model, data: LineFixture.nearPoints(20), options: options)
      .train()
    #expect(results.map(\.epoch) == [2, 3])
    #expect(results.map(\.isBest) == [true, true])
    // It ends with the weights of one that wasn't cancelled.
    options.checkpoints = nil
    scores.withLock { $0 = [0.5, 0.6, 0.7] }
    let whole = try LineFixture(backend: backend)
    _ = try outcome(of: whole, options)
    #expect(try fixture.answer == whole.answer)
  }
}

/// Tests of schedules and of balanced classes.
@Suite struct TrainingScheduleTests {
  @Test func `values warm up, and then decay`() {
    let cosine = ValueSchedule(0.1, .cosine(lowest: 0.1), warmUpSteps: 4)
    for (step, value) in [0, 0.025, 0.05, 0.075, 0.1].enumerated() {
      #expect(abs(cosine.value(inStep: step, of: 104) - value) < 1e-12)
    }
    #expect(abs(cosine.value(inStep: 54, of: 104) - 0.055) < 1e-12)
    #expect(abs(cosine.value(inStep: 104, of: 104) - 0.01) < 1e-12)
    #expect(abs(cosine.value(inStep: 900, of: 104) - 0.01) < 1e-12)
    let step = ValueSchedule(8, .step(every: 10, factor: 0.5))
    #expect([0, 9, 10, 19, 20, 35].map { step.value(inStep: $0, of: 1) } == [8, 8, 4, 4, 2, 1])
    #expect(ValueSchedule(3).value(inStep: 1_000_000, of: 10) == 3)
  }

  @Test(arguments: [
    (ValueSchedule(.nan), "needs a finite value, got nan."),
    (ValueSchedule(1, warmUpSteps: -1), "needs a warm-up of at least 0 steps, got -1."),
    (ValueSchedule(1, .step(every: 0, factor: 1)), "needs a decay after at least 1 step, got 0."),
    (ValueSchedule(1, .step(every: 1, factor: 0)), "needs a factor above 0, got 0.0."),
    (ValueSchedule(1, .cosine(lowest: 2)), "needs a lowest share from 0 to 1, got 2.0."),
  ])
  func `a schedule that makes no sense is an error`(_ schedule: ValueSchedule, _ text: String)
    throws
  {
    var options = TrainingOptions()
    options.schedules["learning_rate"] = schedule
    let trainer = Trainer(
      try LineFixture().model, data: LineFixture.points(2), options: options)
    let error = #expect(throws: TensorIOError.self) { try trainer.train() }
    #expect(error?.message == "The schedule of 'learning_rate' " + text)
  }

  @Test func `any number of epochs has a schedule`() throws {
    var options = TrainingOptions(epochs: .max)
    options.schedules["learning_rate"] = ValueSchedule(0.1, .cosine(), warmUpSteps: .max)
    var epochs = 0
    try Trainer(LineFixture().model, data: LineFixture.points(99), options: options)
      .train(until: { epochs == 1 }, onStep: { _ in }, onEpoch: { _ in epochs += 1 })
    #expect(epochs == 1)
  }

  @Test func `each step gets the schedule's value`() throws {
    // One item of x = 0: the bias after a step is the sum of rates times the errors.
    var options = TrainingOptions(epochs: 3, batchSize: 1)
    options.schedules["learning_rate"] = ValueSchedule(0.2, .step(every: 2, factor: 0.5))
    let line = try LineFixture()
    let results = try Trainer(line.model, data: [["x": 0, "target": 1]], options: options).train()
    var bias = 0.0
    let losses = [0.2, 0.2, 0.1].map { rate in
      bias += 2 * rate * (1 - bias)
      return (1 - bias) * (1 - bias)
    }
    for (result, loss) in zip(results, losses) {
      #expect(abs((result.training["loss"] ?? 0) - loss) < 1e-6)
    }
  }

  @Test func `balanced classes are seen equally often, and every item at least once`() {
    var generator = SplitMix64(seed: 1)
    let classes = [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2]
    let order = ItemOrder(Array(classes.indices), balancing: { classes[$0] })
    #expect(order.count == 21)
    var rests: Set<[Int]> = []
    for _ in 0..<20 {
      let items = order.items(shuffles: true, &generator)
      #expect(items.count == 21)
      #expect(Set(items) == Set(classes.indices))
      let counts = Dictionary(grouping: items) { classes[$0] }.mapValues(\.count)
      #expect(counts == [0: 7, 1: 7, 2: 7])
      rests.insert(items)
    }
    #expect(rests.count == 20)
    var other = SplitMix64(seed: 5)
    let plain = ItemOrder([4, 2, 9])
    #expect(plain.items(shuffles: false, &other) == [4, 2, 9])
  }

  @Test func `checkpoints are in the order of their epochs and steps`() {
    let ordered = [
      "epoch-00009", "epoch-99999", "epoch-99999-step-0000002", "epoch-99999-step-10000000",
      "epoch-100000", "epoch-100001-step-0000001",
    ]
    #expect(TrainingState.sorted(folders: ordered.reversed()) == ordered)
    #expect(TrainingState.sorted(folders: ordered.sorted()) == ordered)
  }
}
