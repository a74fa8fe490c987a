// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import TensorIO

struct TrainingLimitsTests {
  private func options(_ epochs: Int, _ limits: TrainingLimits) -> TrainingOptions {
    var options = TrainingOptions(
      epochs: epochs, batchSize: 4, placeholders: ["learning_rate": 0.2])
    options.limits = limits
    return options
  }

  private func run(
    _ line: LineFixture, _ options: TrainingOptions, items: Int = 8
  ) throws -> TrainingSummary {
    try Trainer(line.model, data: LineFixture.nearPoints(items), options: options).run()
  }

  @Test func `without limits, all epochs are done`() throws {
    let summary = try run(LineFixture(), options(3, TrainingLimits()))
    #expect(summary.ending == .completed)
    #expect(summary.epochs.count == 3)
    #expect(summary.steps == 6)
    #expect(summary.memoryGrowth == nil)
  }

  @Test func `a limit of steps ends the training within an epoch`() throws {
    let line = try LineFixture()
    let summary = try run(line, options(10, TrainingLimits(steps: 5)))
    #expect(summary.ending == .stepLimit)
    #expect(summary.epochs.count == 2)
    #expect(summary.steps == 5)
    #expect(line.backend.record.steps.count == 5)
  }

  @Test func `a training that does exactly as many steps as allowed is complete`() throws {
    #expect(try run(LineFixture(), options(2, TrainingLimits(steps: 4))).ending == .completed)
  }

  @Test func `no step begins that would end after the time limit`() throws {
    let line = try LineFixture(
      backend: LineBackend { _ in Thread.sleep(forTimeInterval: 0.05) })
    let summary = try run(line, options(1_000_000, TrainingLimits(time: .seconds(0.4))))
    #expect(summary.ending == .timeLimit)
    // Seven steps of at least 50 ms fit, and no step begins in the last 50 ms.
    #expect((1...7).contains(summary.steps))
    #expect(line.backend.record.steps.count == summary.steps)
  }

  @Test func `the time for a measurement is kept free`() throws {
    var options = options(1_000_000, TrainingLimits(time: .seconds(4)))
    options.measurement = { _ in
      Thread.sleep(forTimeInterval: 2.2)
      return []
    }
    // A second measurement would end after 4.4 seconds.
    let summary = try run(LineFixture(), options)
    #expect(summary.ending == .timeLimit)
    #expect(summary.epochs.count == 1)
    // Only the last step of the second epoch isn't taken.
    #expect(summary.steps == 3)
    // The time may be known before the first epoch, of which all but the last step are taken.
    options.measurementTime = .seconds(5)
    let partial = try run(LineFixture(), options)
    #expect(partial.ending == .timeLimit && partial.steps == 1)
  }

  @Test func `a training that ends at a limit has the weights of its best epoch`() throws {
    let line = try LineFixture()
    var bounded = options(10, TrainingLimits(steps: 5))
    bounded.keepsBest = true
    _ = try run(line, bounded)
    let other = try LineFixture()
    _ = try run(other, options(2, TrainingLimits()))
    #expect(try line.answer == other.answer)
  }

  // Another test could change the process's memory, so this one has a process of its own.
  @Test func `a training that runs out of memory ends with what it has learned`() async {
    await #expect(processExitsWith: .success) {
      let kept = Mutex<[[UInt8]]>([])
      let line = try LineFixture(
        backend: LineBackend { _ in
          kept.withLock { $0.append([UInt8](repeating: 1, count: 8 << 20)) }
        })
      let limit = 48 << 20
      var options = TrainingOptions(epochs: 1000, batchSize: 4)
      options.limits.memory = limit
      let summary = try Trainer(
        line.model, data: LineFixture.nearPoints(8), options: options
      ).blockingRun()
      let growth = try #require(summary.memoryGrowth)
      guard summary.ending == .memoryLimit, (2...6).contains(summary.steps), growth <= limit,
        growth > 8 << 20, kept.withLock({ $0.count }) == summary.steps
      else {
        print(summary.ending, summary.steps, growth)
        exit(3)
      }
    }
  }

  @Test func `a first step that doesn't fit is an error that names the sizes`() throws {
    let line = try LineFixture()
    let error = #expect(throws: TensorIOError.self) {
      try run(line, options(1, TrainingLimits(memory: 20)))
    }
    #expect(error?.code == .invalidOption)
    let pattern = /A training step on 4 items needs about 64 bytes, .* limit is 20 bytes.*smaller.*/
    #expect(error?.message.wholeMatch(of: pattern) != nil, "\(error?.message ?? "")")
    #expect(line.backend.record.steps.isEmpty)
  }

  @Test(arguments: [
    TrainingLimits(time: .zero), TrainingLimits(memory: 0), TrainingLimits(steps: 0),
  ])
  func `limits of zero are rejected`(_ limits: TrainingLimits) throws {
    let error = #expect(throws: TensorIOError.self) { try run(LineFixture(), options(1, limits)) }
    #expect(error?.code == .invalidOption)
    #expect(error?.message.hasPrefix("limits.") == true)
  }

  @Test func `a cancelled task ends the training, and the summary says so`() async throws {
    let line = try LineFixture()
    let trainer = Trainer(
      line.model, data: LineFixture.nearPoints(8), options: options(1_000_000, TrainingLimits()))
    let began = Mutex(false)
    let task = Task { try await trainer.run(onStep: { _ in began.withLock { $0 = true } }) }
    while !began.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
    task.cancel()
    #expect(try await task.value.ending == .cancelled)
  }
}

extension Trainer {
  /// Runs the training, also in functions that could await it.
  fileprivate func blockingRun() throws -> TrainingSummary { try run() }
}
