// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import TensorIOTesting
import TestSupport
import Testing

@testable import TensorIO

/// Tests of deadlines, cancellation, the bound of the queue, and observers.
@Suite struct RunEndingTests {
  /// A model whose runs wait for a gate.
  private struct Gated {
    let model: InferenceModel
    let record: EchoRecord
    let events: Shared<[RunEvent]>
    private let begun = DispatchSemaphore(value: 0)
    private let gate = DispatchSemaphore(value: 0)

    init(sessions: Int = 1, mostWaiting: Int = 100) throws {
      let (begun, gate) = (begun, gate)
      let backend = EchoBackend(
        [
          SignatureDescription(
            key: "", inputs: [.float("x", [1, 4])], outputs: [.float("y", [1, 4])])
        ],
        behaviour: EchoBackend.Behaviour(onRun: { _ in
          begun.signal()
          gate.wait()
        }))
      let bundle = try TestBundle(inputs: [.layer("x", [4])], outputs: [.layer("y", [4])])
      events = Shared([])
      let loader = ModelLoader(
        backends: [backend], sessions: sessions, mostWaiting: mostWaiting,
        observer: Recorder(events: events))
      model = try InferenceModel(bundle: bundle.open(), loader: loader)
      record = backend.record
    }

    /// Waits until a run has begun.
    func waitForRun() async { await onThread { begun.wait() } }

    func open(runs: Int) { for _ in 0..<runs { gate.signal() } }

    func waitForQueue(_ count: Int) async throws {
      try #require(try await eventually { model.statistics.waiting == count })
    }

    func waitUntilIdle() async throws {
      try #require(try await eventually { model.statistics.running == 0 })
    }
  }

  private struct Recorder: RunObserver {
    let events: Shared<[RunEvent]>

    func runEnded(_ run: RunEvent) { events.change { $0.append(run) } }
  }

  private static let values = ModelInputs([1, 2, 3, 4])

  private func code(of task: Task<ModelOutputs, any Error>) async -> TensorIOError.Code? {
    do {
      _ = try await task.value
      return nil
    } catch {
      return (error as? TensorIOError)?.code
    }
  }

  // MARK: - Cancellation

  @Test func `a cancelled task goes on at once, and its session is used again after the run`()
    async throws
  {
    let gated = try Gated()
    let task = Task { try await gated.model.run(Self.values) }
    await gated.waitForRun()
    let next = Task { try await gated.model.run(Self.values) }
    try await gated.waitForQueue(1)
    task.cancel()
    // The gate is still closed, so the run itself hasn't ended.
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(gated.model.statistics.running == 1)
    #expect(gated.model.statistics.waiting == 1)
    gated.open(runs: 2)
    #expect(try await next.value["y"] == [1, 2, 3, 4] as [Float])
    #expect(gated.record.violations.isEmpty)
    #expect(gated.model.statistics.outcomes[.cancelled] == 1)
    #expect(gated.model.statistics.outcomes[.succeeded] == 1)
  }

  @Test func `no session is lost and no answer is wrong, whenever runs are ended`() async throws {
    let backend = EchoBackend(
      [
        SignatureDescription(
          key: "", inputs: [.float("x", [1, 4])], outputs: [.float("y", [1, 4])])
      ], behaviour: EchoBackend.Behaviour(onRun: { items in usleep(300) }))
    let bundle = try TestBundle(inputs: [.layer("x", [4])], outputs: [.layer("y", [4])])
    let model = try InferenceModel(
      bundle: bundle.open(), loader: ModelLoader(backends: [backend], sessions: 2))
    let ended = Shared<[String: Int]>([:])
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<600 {
        group.addTask {
          let value = [Float](repeating: Float(number), count: 4)
          let task = Task {
            switch number % 3 {
            case 0: return try await model.run(value)
            case 1:
              return try await model.run(value, deadline: .now + .microseconds(number * 200))
            default:
              return try await onThread {
                Result { try model.run(value, deadline: .now + .microseconds(number * 200)) }
              }.get()
            }
          }
          if number.isMultiple(of: 2) {
            try? await Task.sleep(for: .microseconds(number * 37 % 5000))
            task.cancel()
          }
          do {
            let outputs = try await task.value
            #expect(try outputs["y"] == value)
            ended.change { $0["answered", default: 0] += 1 }
          } catch {
            let name = (error as? TensorIOError)?.code.rawValue ?? "\(type(of: error))"
            ended.change { $0[name, default: 0] += 1 }
          }
        }
      }
    }
    #expect(
      Set(ended.value.keys).isSubset(of: ["answered", "CancellationError", "deadlineExceeded"]),
      "\(ended.value)")
    #expect(ended.value.values.reduce(0, +) == 600)
    try #require(try await eventually { model.statistics.running == 0 })
    #expect(model.statistics.waiting == 0)
    #expect(backend.record.violations.isEmpty)
    #expect(backend.record.mostConcurrentRuns <= 2)
    let outputs = try await model.run(batch: (0..<8).map { _ in Self.values })
    #expect(try outputs.allSatisfy { try $0["y"] == [1, 2, 3, 4] as [Float] })
  }

  // MARK: - Deadlines

  @Test(arguments: [true, false])
  func `a run that waits until its deadline says how long`(_ isAsync: Bool) async throws {
    let gated = try Gated()
    let first = Task { try await gated.model.run(Self.values) }
    await gated.waitForRun()
    let error = await #expect(throws: TensorIOError.self) {
      let deadline = ContinuousClock.now + .milliseconds(300)
      if isAsync { return try await gated.model.run(Self.values, deadline: deadline) }
      return try await onThread {
        Result { try gated.model.run(Self.values, deadline: deadline) }
      }.get()
    }
    #expect(error?.code == .deadlineExceeded)
    let message = try #require(error?.message)
    let pattern = /: it waited (\d+)\.\d ms for a session and didn't begin\. Allow more time/
    let waited = try #require(try pattern.firstMatch(in: message)).1
    #expect(Int(waited).map { $0 >= 100 } == true, "\(message)")
    #expect(gated.model.statistics.waiting == 0)
    gated.open(runs: 1)
    #expect(try await first.value["y"] == [1, 2, 3, 4] as [Float])
    #expect(gated.record.runs.count == 1)
    #expect(gated.model.statistics.outcomes[.deadlineExceeded] == 1)
  }

  @Test func `a task goes on at its deadline although the runtime can't end the run`() async throws
  {
    let gated = try Gated()
    let error = await #expect(throws: TensorIOError.self) {
      try await gated.model.run(Self.values, deadline: .now + .milliseconds(200))
    }
    #expect(error?.code == .deadlineExceeded)
    #expect(error?.message.contains("and ran for ") == true, "\(error?.message ?? "")")
    #expect(gated.model.statistics.running == 1)
    gated.open(runs: 1)
    try await gated.waitUntilIdle()
  }

  @Test func `a deadline that has passed runs nothing`() async throws {
    let gated = try Gated()
    for deadline in [ContinuousClock.now, .now - .seconds(3600)] {
      let error = await #expect(throws: TensorIOError.self) {
        try await gated.model.run(Self.values, deadline: deadline)
      }
      #expect(error?.code == .deadlineExceeded)
    }
    try await gated.waitUntilIdle()
  }

  @Test func `a deadline far away changes nothing`() async throws {
    let gated = try Gated()
    gated.open(runs: 2)
    let deadline = ContinuousClock.now + .seconds(1e12)
    #expect(
      try await gated.model.run(Self.values, deadline: deadline)["y"] == [1, 2, 3, 4] as [Float])
    let outputs = await onThread { Result { try gated.model.run(Self.values, deadline: deadline) } }
    #expect(try outputs.get()["y"] == [1, 2, 3, 4] as [Float])
  }

  /// A model of the program's own, whose runs take a minute.
  private final class SlowModel: Model {
    let bundle: ModelBundle
    init(bundle: ModelBundle, loader: ModelLoader) { self.bundle = bundle }
    var isLoaded: Bool { true }
    func load() {}
    func loadSignature() -> ModelSignature { ModelSignature(inputs: [], outputs: []) }
    func unload() {}
    func run(_ inputs: ModelInputs) throws -> ModelOutputs { throw CancellationError() }
    func run(_ inputs: ModelInputs) async throws -> ModelOutputs {
      try await Task.sleep(for: .seconds(60))
      throw TensorIOError(.internalFault, "The run wasn't cancelled.")
    }
  }

  @Test func `a program's own model class has deadlines, too`() async throws {
    let bundle = try TestBundle().open()
    let model = SlowModel(bundle: bundle, loader: ModelLoader(backends: []))
    let error = await #expect(throws: TensorIOError.self) {
      try await model.run(Self.values, deadline: .now + .milliseconds(20))
    }
    #expect(error?.code == .deadlineExceeded)
    let task = Task { try await model.run(Self.values, deadline: .now + .seconds(60)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try model.loadWarnings() == bundle.warnings)
  }

  // MARK: - The queue

  @Test func `a run that finds a full queue is refused`() async throws {
    let gated = try Gated(mostWaiting: 1)
    let first = Task { try await gated.model.run(Self.values) }
    await gated.waitForRun()
    let second = Task { try await gated.model.run(Self.values) }
    try await gated.waitForQueue(1)
    let error = await #expect(throws: TensorIOError.self) {
      try await gated.model.run(Self.values)
    }
    #expect(error?.code == .overloaded)
    #expect(
      error?.message.contains("1 run already waits for 1 session, and its loader's") == true,
      "\(error?.message ?? "")")
    let blocking = await onThread { Result { try gated.model.run(Self.values) } }
    #expect(throws: TensorIOError.self) { try blocking.get() }
    gated.open(runs: 2)
    _ = try await (first.value, second.value)
    let statistics = gated.model.statistics
    #expect(statistics.outcomes[.overloaded] == 2)
    #expect(statistics.outcomes[.succeeded] == 2)
    #expect(statistics.sessions == 1 && statistics.waiting == 0)
  }

  // MARK: - Observers

  @Test func `an observer is told how each run ended`() async throws {
    let gated = try Gated()
    let cancelled = Task { try await gated.model.run(Self.values) }
    await gated.waitForRun()
    cancelled.cancel()
    _ = await cancelled.result
    #expect(
      await code(
        of: Task { try await gated.model.run(Self.values, deadline: .now + .milliseconds(5)) })
        == .deadlineExceeded)
    gated.open(runs: 1)
    try await gated.waitUntilIdle()
    #expect(await code(of: Task { try await gated.model.run([1, 2]) }) == .wrongElementCount)
    gated.open(runs: 3)
    _ = try await gated.model.run(Self.values)
    _ = try await gated.model.run(batch: [Self.values, Self.values])
    let events = gated.events.value
    #expect(
      events.map(\.outcome) == [.cancelled, .deadlineExceeded, .failed, .succeeded, .succeeded])
    #expect(events.map(\.items) == [1, 1, 1, 1, 2])
    #expect(Set(events.map(\.model)) == [gated.model.bundle.manifest.id])
    #expect(events.map { $0.error == nil } == [false, false, false, true, true])
    #expect(events[1].waited >= .milliseconds(5) && events[1].total >= events[1].waited)
    let latency = try #require(events[3].latency)
    #expect(latency.total <= events[3].total)
  }
}
