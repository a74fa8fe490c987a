// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOLiteRT
import TestSupport
import Testing

/// Tests of how LiteRT ends one run, on a model whose input is the number of its steps.
@Suite struct LiteRTRunEndingTests {
  /// More steps than a test waits for.
  private static let endless: Int32 = 2_000_000_000

  private func model(sessions: Int = 1) throws -> (InferenceModel, folder: ModelFolder) {
    let folder = try ModelFolder()
    let loader = ModelLoader(backends: [.liteRT], sessions: sessions)
    return (try InferenceModel(bundle: folder.open(), loader: loader), folder)
  }

  /// A bundle of the slow model, which is removed with this object.
  private final class ModelFolder {
    private let path = FileManager.default.temporaryDirectory
      .appending(path: "\(UUID().uuidString).tiobundle")

    init() throws {
      try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: Fixtures.model("slow.tflite"), toPath: path.appending(path: "model.tflite").path)
      let layer = { (name: String) in
        ["name": name, "type": "array", "shape": [1], "dtype": "int32"] as [String: Any]
      }
      let signature = try LiteRTBackend().liteRTModel(at: Fixtures.model("slow.tflite"))
        .signatures[0]
      let manifest: [String: Any] = [
        "name": "Slow", "details": "", "id": "slow", "version": "1", "author": "", "license": "",
        "model": ["file": "model.tflite", "backend": "tflite", "quantized": false],
        "inputs": [layer(signature.inputs[0].name)], "outputs": [layer(signature.outputs[0].name)],
      ]
      try JSONSerialization.data(withJSONObject: manifest)
        .write(to: path.appending(path: "model.json"))
    }

    deinit { try? FileManager.default.removeItem(at: path) }

    func open() throws -> ModelBundle { try ModelBundle(path.path) }
  }

  private func steps(_ count: Int32) -> ModelInputs { ModelInputs([count]) }

  private func result(of outputs: ModelOutputs) throws -> Int32 {
    try outputs.value(at: 0, as: [Int32].self)[0]
  }

  private func runBlocking(
    _ model: InferenceModel, _ count: Int32, deadline: ContinuousClock.Instant
  ) throws -> Int32 {
    try result(of: model.run(steps(count), deadline: deadline))
  }

  @Test func `a cancelled task ends its run in the runtime, and no other`() async throws {
    let (model, folder) = try model(sessions: 2)
    defer { withExtendedLifetime(folder) {} }
    for _ in 0..<5 {
      let task = Task { try await model.run(steps(Self.endless)) }
      let other = Task { try await model.run(steps(200_000)) }
      try #require(try await eventually { model.statistics.running >= 1 })
      try await Task.sleep(for: .milliseconds(20))
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      _ = try await other.value
      // The session can only come back if the runtime has ended the run.
      try #require(try await eventually { model.statistics.running == 0 })
      let results = try await [model.run(steps(1000)), model.run(steps(1000))].map(result)
      #expect(results == [1000, 1000])
    }
    #expect(model.statistics.outcomes[.cancelled] == 5)
    #expect(model.statistics.outcomes[.failed] == 0)
  }

  @Test func `a deadline ends a run in the runtime`() async throws {
    let (model, folder) = try model()
    defer { withExtendedLifetime(folder) {} }
    let blocking = #expect(throws: TensorIOError.self) {
      try runBlocking(model, Self.endless, deadline: .now + .milliseconds(50))
    }
    #expect(blocking?.code == .deadlineExceeded)
    #expect(blocking?.message.contains("and ran for ") == true, "\(blocking?.message ?? "")")
    #expect(try runBlocking(model, 1000, deadline: .now + .seconds(600)) == 1000)
    let error = await #expect(throws: TensorIOError.self) {
      try await model.run(steps(Self.endless), deadline: .now + .milliseconds(50))
    }
    #expect(error?.code == .deadlineExceeded)
    #expect(try await result(of: model.run(steps(1000))) == 1000)
  }

  @Test func `a cancelled batch ends in the runtime`() async throws {
    let (model, folder) = try model()
    defer { withExtendedLifetime(folder) {} }
    let task = Task { try await model.run(batch: [steps(10), steps(Self.endless)]) }
    try #require(try await eventually { model.statistics.running == 1 })
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try #require(try await eventually { model.statistics.running == 0 })
  }
}
