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

/// Tests of runs whose deadline passes, or whose task is cancelled, while the model is loaded.
@Suite struct LoadingDeadlineTests {
  /// A backend whose loads wait for a gate.
  private struct GatedBackend: Backend {
    let base: EchoBackend
    let begun = DispatchSemaphore(value: 0)
    let gate = DispatchSemaphore(value: 0)

    var name: String { base.name }
    var matchesLayersByName: Bool { base.matchesLayersByName }

    func loadModel(
      at path: String, for modes: ModelModes, options: SessionOptions
    ) throws -> any LoadedModel {
      begun.signal()
      gate.wait()
      return try base.loadModel(at: path, for: modes, options: options)
    }
  }

  private struct Recorder: RunObserver {
    let events: Shared<[RunEvent]>

    func runEnded(_ event: RunEvent) { events.change { $0.append(event) } }
  }

  private static let values = ModelInputs([1, 2, 3, 4] as [Float])

  private let backend = GatedBackend(
    base: EchoBackend([
      SignatureDescription(key: "", inputs: [.float("x", [1, 4])], outputs: [.float("y", [1, 4])])
    ]))
  private let events = Shared<[RunEvent]>([])

  private func withModel(
    mostWaiting: Int = .max, _ body: (InferenceModel) async throws -> Void
  ) async throws {
    let bundle = try TestBundle(inputs: [.layer("x", [4])], outputs: [.layer("y", [4])])
    var loader = ModelLoader(backends: [backend], observer: Recorder(events: events))
    loader.mostWaiting = mostWaiting
    try await body(try InferenceModel(bundle: bundle.open(), loader: loader))
    withExtendedLifetime(bundle) {}
  }

  private func run(
    _ model: InferenceModel, isAsync: Bool, deadline: ContinuousClock.Instant
  ) async throws -> ModelOutputs {
    if isAsync { return try await model.run(Self.values, deadline: deadline) }
    return try await onThread { Result { try model.run(Self.values, deadline: deadline) } }.get()
  }

  @Test(arguments: [true, false])
  func `a run gives up at its deadline, and the load is completed`(_ isAsync: Bool) async throws {
    try await withModel { model in
      let error = await #expect(throws: TensorIOError.self) {
        try await run(model, isAsync: isAsync, deadline: .now + .milliseconds(100))
      }
      #expect(error?.code == .deadlineExceeded)
      let message = error?.message ?? ""
      #expect(message.contains("ms, the model wasn't loaded yet"), "\(message)")
      #expect(model.statistics.outcomes[.deadlineExceeded] == 1)
      #expect(events.value.map(\.outcome) == [.deadlineExceeded])
      #expect(events.value.first?.waited == .zero)

      // The first load goes on, and no second one begins.
      backend.gate.signal()
      let outputs = try await run(model, isAsync: isAsync, deadline: .now + .seconds(600))
      let values: [Float] = try outputs["y"]
      #expect(values == [1, 2, 3, 4])
      #expect(backend.base.record.loads == 1)
      let waited = events.value.last?.waited ?? .zero
      #expect(waited < (events.value.last?.total ?? .zero))
    }
  }

  @Test func `the time for loading isn't that of waiting for a session`() async throws {
    try await withModel { model in
      backend.gate.signal()
      _ = try await onThread { Result { try model.run(Self.values) } }.get()
      let event = try #require(events.value.first)
      #expect(event.loading > .zero && event.loading + event.waited <= event.total)
      _ = try await onThread { Result { try model.run(Self.values) } }.get()
      #expect(events.value.last?.loading == .zero)
    }
  }

  @Test func `a cancelled task doesn't wait for the load`() async throws {
    try await withModel { model in
      let task = Task { try await model.run(Self.values) }
      await onThread { backend.begun.wait() }
      task.cancel()
      await #expect(throws: CancellationError.self) { _ = try await task.value }
      #expect(model.statistics.outcomes[.cancelled] == 1)
      backend.gate.signal()
      let values: [Float] = try await model.run(Self.values)["y"]
      #expect(values == [1, 2, 3, 4])
      #expect(backend.base.record.loads == 1)
    }
  }

  @Test(arguments: [true, false])
  func `a model that can't be loaded counts as a failed run`(_ isAsync: Bool) async throws {
    try await withModel { model in
      let path = try #require(model.bundle.modelPath)
      try FileManager.default.removeItem(atPath: path)
      backend.gate.signal()
      let error = await #expect(throws: TensorIOError.self) {
        try await run(model, isAsync: isAsync, deadline: .now + .seconds(600))
      }
      #expect(error?.code == .fileNotFound)
      #expect(events.value.map(\.outcome) == [.failed])
      #expect(model.statistics.outcomes[.failed] == 1)
    }
  }

  /// The number of threads of this process.
  private static var threads: Int {
    get throws { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count }
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/task")))
  func `runs that wait for a load need no threads, and share the model`() async throws {
    try await withModel { model in
      let before = try Self.threads
      let tasks = (0..<1000).map { number in
        Task {
          if number % 2 == 0 { return try await model.run(Self.values) }
          return try await model.run(Self.values, deadline: .now + .seconds(600))
        }
      }
      try await #expect(eventually { model.statistics.waiting == 1000 })
      // Other tests run at the same time.
      #expect(try Self.threads < before + 200)
      backend.gate.signal()
      for task in tasks {
        let values: [Float] = try await task.value["y"]
        #expect(values == [1, 2, 3, 4])
      }
      #expect(backend.base.record.loads == 1)
      #expect(model.statistics.waiting == 0)
      #expect(events.value.count == 1000)
      #expect(events.value.allSatisfy { $0.loading > .zero && $0.loading < $0.total })
    }
  }

  @Test func `runs that wait for a load that fails share its error`() async throws {
    try await withModel { model in
      let path = try #require(model.bundle.modelPath)
      try FileManager.default.removeItem(atPath: path)
      let late = (0..<20).map { _ in
        Task { try await model.run(Self.values, deadline: .now + .milliseconds(50)) }
      }
      let patient = (0..<20).map { _ in Task { try await model.run(Self.values) } }
      for task in late {
        let error = await #expect(throws: TensorIOError.self) { _ = try await task.value }
        #expect(error?.code == .deadlineExceeded)
      }
      try await #expect(eventually { model.statistics.waiting == 20 })
      // One signal opens the gate for one load.
      backend.gate.signal()
      for task in patient {
        let error = await #expect(throws: TensorIOError.self) { _ = try await task.value }
        #expect(error?.code == .fileNotFound)
      }
      await onThread { backend.begun.wait() }
      #expect(backend.begun.wait(timeout: .now() + 0.2) == .timedOut)
      #expect(model.statistics.outcomes[.failed] == 20)
    }
  }

  @Test(arguments: [true, false])
  func `the limit of waiting runs holds while the model is loaded`(_ isAsync: Bool) async throws {
    try await withModel(mostWaiting: 3) { model in
      let waiting = (0..<4).map { _ in
        Task { try await run(model, isAsync: isAsync, deadline: .now + .seconds(600)) }
      }
      try await #expect(eventually { model.statistics.waiting == 4 })
      for _ in 0..<5 {
        let error = await #expect(throws: TensorIOError.self) {
          try await run(model, isAsync: isAsync, deadline: .now + .seconds(600))
        }
        #expect(error?.code == .overloaded)
        #expect(error?.message.contains("4 runs already wait") == true, "\(error?.message ?? "")")
      }
      backend.gate.signal()
      for task in waiting { _ = try await task.value }
      #expect(model.statistics.outcomes[.overloaded] == 5)
    }
  }
}
