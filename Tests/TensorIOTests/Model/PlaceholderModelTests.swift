// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TensorIO

@Suite struct PlaceholderModelTests {
  @Test func `every run gives no outputs`() async throws {
    let layers: JSONValue = [.layer("x", [2])]
    let bundle = try TestBundle("placeholder", set: ["/inputs": layers, "/outputs": layers])
    let model = try ModelLoader(backends: []).model(at: bundle.path)
    #expect(model.isLoaded)
    #expect(try model.loadSignature().inputs.map(\.name) == ["x"])
    #expect(try await model.run([1, 2]).count == 0)
    let outputs = try await model.run(ModelInputs(["anything": "at all"]))
    #expect(outputs.names.isEmpty)
    model.unload()
    try model.load()
    let error = #expect(throws: TensorIOError.self) { try outputs["x", as: Float.self] }
    #expect(error?.code == .unknownOutput)
  }

  private let items = [ModelInputs([1, 2]), ModelInputs([3, 4])]

  @Test func `a class without batches of its own runs items one by one`() throws {
    let model = try ModelLoader(backends: []).model(at: TestBundle("placeholder").path)
    #expect(try model.run(batch: items).map(\.count) == [0, 0])
  }

  @Test func `a task runs a batch item by item`() async throws {
    let model = try ModelLoader(backends: []).model(at: TestBundle("placeholder").path)
    #expect(try await model.run(batch: items).map(\.count) == [0, 0])
  }
}
