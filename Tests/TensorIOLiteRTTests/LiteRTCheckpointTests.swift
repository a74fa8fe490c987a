// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOLiteRT
import TestSupport
import Testing

/// Exports weights to a folder and restores them.
@Suite struct LiteRTCheckpointTests {
  private let golden = GoldenTraining.builtin
  /// Calls a closure with a temporary folder.
  private func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try body(folder)
  }

  private func predict(_ model: TrainableModel) throws -> [Float] {
    try model.evaluate(golden.batch())["prediction"]
  }

  @Test func `a new model with another's weights gives the same results`() throws {
    let bundle = try TrainingBundle(outputs: TrainingBundle.prediction)
    let losing = try TrainingBundle(outputs: TrainingBundle.loss)
    try withFolder { folder in
      let model = try losing.model()
      try golden.train(model)
      try model.export(to: folder)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder) == ["checkpoint.safetensors"])
      let other = try bundle.model()
      let before = try predict(other)
      try other.restore(from: folder)
      let restored = try predict(other)
      #expect(restored != before)
      #expect(golden.agrees(restored, golden.predictionAfter.flatMap(\.self)))
      // Further training has the same effect on both.
      let losses = try [model, other].map { model -> [Float] in
        try model.train(golden.batch(), placeholders: ["rate": golden.rate])
        try model.export(to: folder)
        let third = try bundle.model()
        try third.restore(from: folder)
        return try predict(third)
      }
      #expect(losses[0] == losses[1])
      other.unload()
      try #expect(predict(other) == before)
    }
  }

  @Test
  func `an export replaces an older one, and an untrained model exports the file's weights`()
    throws
  {
    let bundle = try TrainingBundle(outputs: TrainingBundle.prediction)
    try withFolder { folder in
      let model = try bundle.model()
      let before = try predict(model)
      try model.export(to: folder)
      let first = try Data(contentsOf: URL(filePath: folder + "/checkpoint.safetensors"))
      try golden.train(model)
      try model.export(to: folder)
      let second = try Data(contentsOf: URL(filePath: folder + "/checkpoint.safetensors"))
      #expect(first != second)
      try first.write(to: URL(filePath: folder + "/checkpoint.safetensors"))
      try model.restore(from: folder)
      try #expect(predict(model) == before)
    }
  }

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; the test needs NumPy."))
  func `Python reads the weights that were exported`() async throws {
    let bundle = try TrainingBundle(outputs: TrainingBundle.prediction)
    let folder = bundle.path
    let model = try bundle.model()
    try golden.train(model)
    try model.export(to: folder)
    let output = try await Python.run(
      ["Tools/peers/read_safetensors.py", folder + "/checkpoint.safetensors"])
    let found = try JSONDecoder().decode(Weights.self, from: Data(output.utf8))
    #expect(found.weight.count == 3)
    #expect(golden.agrees(found.weight.flatMap(\.self), golden.weight.flatMap(\.self)))
    #expect(golden.agrees(found.bias, golden.bias))
  }

  private struct Weights: Decodable {
    let weight: [[Float]]
    let bias: [Float]
  }

  @Test func `exporting while the model runs and trains gives consistent checkpoints`() async throws
  {
    let bundle = try TrainingBundle(outputs: TrainingBundle.prediction)
    let folder = bundle.path
    let model = try bundle.model()
    let golden = golden
    let before = try predict(model)
    try model.export(to: folder)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { for _ in 0..<50 { try model.export(to: folder) } }
      group.addTask { for _ in 0..<50 { try model.restore(from: folder) } }
      group.addTask {
        for _ in 0..<50 { try await model.train(golden.batch(), placeholders: ["rate": 0]) }
      }
      group.addTask { for _ in 0..<50 { _ = try await model.evaluate(golden.batch(of: 3)) } }
      try await group.waitForAll()
    }
    try #expect(predict(model) == before)
  }

  // MARK: - Errors

  private func expect(
    _ code: TensorIOError.Code, _ parts: String...,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
  ) {
    let error = #expect(throws: TensorIOError.self, sourceLocation: sourceLocation) { try body() }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    for part in parts {
      #expect(
        error?.message.contains(part) == true, "\(error?.message ?? "")",
        sourceLocation: sourceLocation)
    }
  }

  @Test func `missing and empty folders are named`() throws {
    let bundle = try TrainingBundle(outputs: TrainingBundle.prediction)
    let model = try bundle.model()
    try withFolder { folder in
      expect(.fileNotFound, "\(folder)/none") { try model.export(to: folder + "/none") }
      expect(.fileNotFound, folder, "checkpoint.safetensors") { try model.restore(from: folder) }
      let file = folder + "/checkpoint.safetensors"
      try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
      expect(.unwritableFile, file) { try model.export(to: folder) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
    }
  }

  @Test(arguments: [
    ("{}", 0, "It has these weights: none."),
    (
      #"{"weight": {"dtype": "F32", "shape": [3, 2], "data_offsets": [0, 24]}}"#, 24,
      "no weights named 'bias'"
    ),
    (
      #"{"weight": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "#
        + #""bias": {"dtype": "F32", "shape": [2], "data_offsets": [24, 32]}}"#, 32, "[2, 3]"
    ),
    (
      #"{"weight": {"dtype": "I32", "shape": [3, 2], "data_offsets": [0, 24]}, "#
        + #""bias": {"dtype": "F32", "shape": [2], "data_offsets": [24, 32]}}"#, 32, "int32"
    ),
    (
      #"{"weight": {"dtype": "F32", "shape": [3, 2], "data_offsets": [0, 24]}, "#
        + #""more": {"dtype": "U8", "shape": [2], "data_offsets": [32, 34]}, "#
        + #""bias": {"dtype": "F32", "shape": [2], "data_offsets": [24, 32]}}"#, 34, "'more'"
    ),
  ])
  func `another model's weights are rejected, and change nothing`(
    _ header: String, _ byteCount: Int, _ part: String
  ) throws {
    let bundle = try TrainingBundle(outputs: TrainingBundle.prediction)
    let model = try bundle.model()
    let before = try predict(model)
    try withFolder { folder in
      let length = withUnsafeBytes(of: UInt64(header.utf8.count).littleEndian) { Data($0) }
      let content = length + Data(header.utf8) + Data(count: byteCount)
      try content.write(to: URL(filePath: folder + "/checkpoint.safetensors"))
      expect(.invalidModel, part, "belongs to another model.") { try model.restore(from: folder) }
    }
    try #expect(predict(model) == before)
  }

  @Test func `a model without signatures for its weights names the ones it needs`() throws {
    let bundle = try TrainingBundle(
      Fixtures.model("resource_variable.tflite"),
      outputs: #"{"name": "total", "type": "array", "shape": [1]}"#,
      operations: ["serving_default"], inputs: #"{"name": "x", "type": "array", "shape": [1]}"#,
      placeholders: "")
    let model = try bundle.model()
    let batch = try Batch(keys: ["x"], items: [["x": 2.5]])
    for total in [2.5, 5, 7.5] as [Float] {
      let outputs = try model.train(batch)
      try #expect(outputs["total"] == total)
    }
    try withFolder { folder in
      expect(.unsupportedModel, "'weights'", "'set_weights'", "'serving_default'") {
        try model.export(to: folder)
      }
      expect(.unsupportedModel, "'weights'", "'set_weights'") { try model.restore(from: folder) }
    }
  }
}
