// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOTensorFlow
import Testing

@Suite struct PlaceholderTests {
  private func scaling() throws -> TestBundle {
    try TestBundle(
      "placeholders", inputs: [TestBundle.layer("x", [1, 4])],
      outputs: [TestBundle.layer("scaled", [1, 4])],
      rest: #", "placeholders": [{"name": "scale", "type": "scalar", "shape": []}]"#)
  }

  @Test func `a placeholder is fed together with the inputs`() async throws {
    let bundle = try scaling()
    let model = try SavedModels.loader.model(at: bundle.path)
    let inputs = ModelInputs([1, 2, 3, 4] as [Float])
    let outputs = try await model.run(inputs, placeholders: ["scale": Float(0.5)])
    try #expect(outputs["scaled", as: [Float].self] == [0.5, 1, 1.5, 2])
    #expect(try model.loadSignature().placeholder(named: "scale")?.dataType == .float32)
  }

  @Test func `a placeholder without a value and a value without a placeholder are errors`() throws {
    let bundle = try scaling()
    let model = try InferenceModel(at: bundle.path, loader: SavedModels.loader)
    let inputs = ModelInputs([1, 2, 3, 4] as [Float])
    let missing = #expect(throws: TensorIOError.self) { try model.run(inputs) }
    #expect(missing?.code == .missingInput)
    #expect(missing?.message.contains("'scale'") == true)
    let unknown = #expect(throws: TensorIOError.self) {
      try model.run(inputs, placeholders: ["scale": 1, "scalee": 2])
    }
    #expect(unknown?.code == .unknownInput)
    #expect(unknown?.message.contains("'scalee'") == true)
    let wrong = #expect(throws: TensorIOError.self) {
      try model.run(inputs, placeholders: ["scale": [1, 2]])
    }
    #expect(wrong?.code == .wrongElementCount)
  }

  @Test func `a placeholder with a default may be omitted, and its default is restored`() throws {
    let bundle = try TestBundle(
      "default_placeholder", inputs: [TestBundle.layer("x", [4])],
      outputs: [TestBundle.layer("rated", [4])],
      rest: #", "placeholders": [{"name": "rate", "type": "scalar", "shape": []}]"#)
    let model = try InferenceModel(at: bundle.path, loader: SavedModels.loader)
    let inputs = ModelInputs([2, 4, 6, 8] as [Float])
    try #expect(model.run(inputs)["rated", as: [Float].self] == [1, 2, 3, 4])
    try #expect(
      model.run(inputs, placeholders: ["rate": 3])["rated", as: [Float].self] == [6, 12, 18, 24])
    try #expect(model.run(inputs)["rated", as: [Float].self] == [1, 2, 3, 4])
    let items = [inputs, inputs]
    var other = inputs
    other.placeholders = ["rate": Float(1)]
    let outputs = try model.run(batch: items + [other])
    try #expect(outputs.map { try $0["rated", as: [Float].self][0] } == [1, 1, 2])
  }
}
