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

  private func withModel(_ body: (InferenceModel) async throws -> Void) async throws {
    let bundle = try TestBundle(inputs: [.layer("x", [4])], outputs: [.layer("y", [4])])
    let loader = ModelLoader(backends: [backend], observer: Recorder(events: events))
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
}
