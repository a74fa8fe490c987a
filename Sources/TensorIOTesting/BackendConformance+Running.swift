// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import TensorIO

extension BackendConformance {
  func checkForgetting() throws {
    for name in [models.twoInputs, models.vector, models.bytes] {
      guard let (bundle, model, specs) = try open(name) else { continue }
      defer { bundle.remove() }
      let first = try model.run(ConformanceValues.inputs(specs, seed: 1))
      for seed in 2..<5 { _ = try model.run(ConformanceValues.inputs(specs, seed: seed)) }
      let again = try model.run(ConformanceValues.inputs(specs, seed: 1))
      try require(
        try again.agrees(with: first),
        "The results of '\(model.bundle.manifest.name)' depend on earlier runs.")
    }
  }

  func checkOutputLifetime() throws {
    guard let (bundle, model, specs) = try open(models.vector ?? models.twoInputs) else { return }
    defer { bundle.remove() }
    let first = try model.run(ConformanceValues.inputs(specs, seed: 1))
    let before = try first.contents()
    let other = try model.run(ConformanceValues.inputs(specs, seed: 2))
    try require(
      try other.contents() != before,
      "'\(model.bundle.manifest.name)' gives the same results for every input; use another model.")
    model.unload()
    try require(try first.contents() == before, "A run changed the outputs of the previous run.")
  }

  // MARK: - Batches

  func checkBatches(_ name: String?) async throws {
    for count in [0, 1, 2, 5, 63, 64, 65, 130] {
      guard let (bundle, model, specs) = try open(name) else { return }
      defer { bundle.remove() }
      let items = (0..<count).map { ConformanceValues.inputs(specs, seed: $0) }
      let singles = try checkBatch(items, of: model)
      let outputs = try await model.run(batch: items)
      try compare(outputs, singles, "an asynchronous batch of \(count)")
    }
    try checkBatchErrors(name)
  }

  private func checkBatch(
    _ items: [ModelInputs], of model: InferenceModel
  ) throws -> [ModelOutputs] {
    let singles = try items.map { try model.run($0) }
    try compare(try model.run(batch: items), singles, "a batch of \(items.count)")
    try compare(try model.run(batch: items.reversed()).reversed(), singles, "a second batch")
    try compare(try items.map { try model.run($0) }, singles, "single runs after a batch")
    return singles
  }

  private func checkBatchErrors(_ name: String?) throws {
    guard let (bundle, model, specs) = try open(name) else { return }
    defer { bundle.remove() }
    var items = (0..<5).map { ConformanceValues.inputs(specs, seed: $0) }
    let expected = try items.map { try model.run($0) }
    let good = items[3]
    items[3] = ModelInputs([specs[0].name: ConformanceValues.value(specs[0], 1, count: 1000)])
    try expect([.wrongElementCount], naming: ["'\(specs[0].name)'", "1000"], "a long item") {
      _ = try model.run(batch: items)
    }
    items[3] = good
    try compare(try model.run(batch: items), expected, "a batch after a refused one")
  }

  private func compare(
    _ outputs: [ModelOutputs], _ expected: [ModelOutputs], _ what: String
  ) throws {
    try require(
      outputs.count == expected.count,
      "\(what): expected \(expected.count) results, got \(outputs.count).")
    for (index, (one, two)) in zip(outputs, expected).enumerated() {
      try require(
        try one.agrees(with: two, within: batchTolerance),
        "\(what): item \(index) differs from its single run: \(try one.contents()) "
          + "instead of \(try two.contents()).")
    }
  }

  // MARK: - Concurrency

  func checkTasks() async throws {
    for sessions in [1, 4] {
      guard
        let (bundle, model, specs) = try open(
          models.twoInputs ?? models.vector, sessions: sessions)
      else { return }
      defer { bundle.remove() }
      let expected = try (0..<16).map {
        try model.run(ConformanceValues.inputs(specs, seed: $0))
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        addRuns(
          20, of: model, specs, expecting: expected, to: &group,
          "With \(sessions) sessions, a parallel task and a serial run got different results.")
        try await group.waitForAll()
      }
    }
  }

  /// Adds a task for each of the results that runs the model again and again.
  private func addRuns(
    _ count: Int, of model: InferenceModel, _ specs: [TensorSpec],
    expecting expected: [ModelOutputs], to group: inout ThrowingTaskGroup<Void, any Error>,
    _ complaint: String
  ) {
    for (seed, result) in expected.enumerated() {
      group.addTask {
        for _ in 0..<count {
          let outputs = try await model.run(ConformanceValues.inputs(specs, seed: seed))
          try require(try outputs.agrees(with: result), complaint)
        }
      }
    }
  }

  func checkThreads() throws {
    guard let (bundle, model, specs) = try open(models.twoInputs ?? models.vector, sessions: 2)
    else { return }
    defer { bundle.remove() }
    let expected = try (0..<8).map { try model.run(ConformanceValues.inputs(specs, seed: $0)) }
    let failure = Mutex<(any Error)?>(nil)
    DispatchQueue.concurrentPerform(iterations: 8) { seed in
      do {
        for _ in 0..<20 {
          let outputs = try model.run(ConformanceValues.inputs(specs, seed: seed))
          try require(
            try outputs.agrees(with: expected[seed]),
            "A parallel thread and a serial run got different results.")
        }
      } catch {
        failure.withLock { $0 = error }
      }
    }
    if let error = failure.withLock({ $0 }) { throw error }
  }

  func checkUnloading() async throws {
    guard let (bundle, model, specs) = try open(models.twoInputs ?? models.vector, sessions: 2)
    else { return }
    defer { bundle.remove() }
    let expected = try (0..<4).map { try model.run(ConformanceValues.inputs(specs, seed: $0)) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      addRuns(
        25, of: model, specs, expecting: expected, to: &group,
        "A run gave a different result while the model was being unloaded.")
      group.addTask {
        for _ in 0..<25 {
          model.unload()
          await Task.yield()
        }
      }
      try await group.waitForAll()
    }
  }
}
