// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import TensorIOTesting
import Testing

@testable import TensorIO

@Suite struct InferenceModelTests {
  /// A model whose output is the same vector as its input.
  private func echo(
    _ shape: [Int] = [1, 4], layer: [Int] = [4], sessions: Int = 1,
    behaviour: EchoBackend.Behaviour = EchoBackend.Behaviour()
  ) throws -> (model: InferenceModel, record: EchoRecord) {
    let backend = EchoBackend(
      [
        SignatureDescription(
          key: "", inputs: [.float("x", shape)], outputs: [.float("y", shape)])
      ], behaviour: behaviour)
    let bundle = try TestBundle(inputs: [.layer("x", layer)], outputs: [.layer("y", layer)])
    let loader = ModelLoader(backends: [backend], sessions: sessions)
    return (try InferenceModel(bundle: bundle.open(), loader: loader), backend.record)
  }

  private func vectors(
    sessions: Int = 1, behaviour: EchoBackend.Behaviour = EchoBackend.Behaviour()
  ) throws -> (model: InferenceModel, record: EchoRecord) {
    let backend = EchoBackend([.vectors], behaviour: behaviour)
    let loader = ModelLoader(backends: [backend], sessions: sessions)
    return (try InferenceModel(bundle: TestBundle().open(), loader: loader), backend.record)
  }

  // MARK: - Loading

  @Test func `a model is loaded once, on first use`() async throws {
    let (model, record) = try echo(sessions: 3)
    #expect(!model.isLoaded && record.loads == 0)
    _ = try await model.run([1, 2, 3, 4])
    _ = try await model.run([1, 2, 3, 4])
    try model.load()
    #expect(model.isLoaded && record.loads == 1 && record.sessions == 3)
    model.unload()
    #expect(!model.isLoaded)
    _ = try await model.run([1, 2, 3, 4])
    #expect(record.loads == 2)
  }

  @Test func `zeros for a trial run are the layer's zeros`() async throws {
    let (model, _) = try echo()
    _ = try await model.run([1, 2, 3, 4])
    let outputs = try await model.run(.zeros(for: model.loadSignature(), longestSide: 8))
    #expect(try outputs.value(at: 0, as: [Float].self) == [0, 0, 0, 0])
  }

  @Test func `a model that many tasks use is loaded once`() async throws {
    let (model, record) = try echo()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<16 { group.addTask { _ = try await model.run([1, 2, 3, 4]) } }
      try await group.waitForAll()
    }
    #expect(record.loads == 1)
  }

  @Test func `the signature has the model's types and the bundle's shapes`() throws {
    let (model, _) = try echo([-1, 4], layer: [-1, 4])
    let signature = try model.loadSignature()
    #expect(signature.inputs.map(\.shape) == [[-1, 4]])
    #expect(signature.input(named: "x")?.dataType == .float32)
    #expect(signature.output(named: "y")?.itemShape == [4])
    #expect(signature.input(named: "y") == nil && signature.placeholder(named: "x") == nil)
  }

  @Test func `a run finishes normally if the model is unloaded meanwhile`() async throws {
    let entered = DispatchSemaphore(value: 0)
    let leave = DispatchSemaphore(value: 0)
    let (model, record) = try echo(
      behaviour: EchoBackend.Behaviour(onRun: { _ in
        entered.signal()
        leave.wait()
      }))
    async let outputs = model.run([1, 2, 3, 4])
    await onThread { entered.wait() }
    model.unload()
    #expect(!model.isLoaded)
    leave.signal()
    #expect(try await outputs["y"] == [1, 2, 3, 4] as [Float])
    #expect(record.loads == 1)
  }

  // MARK: - Inputs

  @Test func `for one input, an array is the vector itself`() throws {
    let (model, _) = try echo()
    for inputs in [
      ModelInputs([1, 2, 3, 4]), ModelInputs([[1, 2], [3, 4]]), ["x": [1, 2, 3, 4]],
      ModelInputs(list: [[1, 2, 3, 4]]),
      ModelInputs(TensorValue.numbers((1...4).map { .integer($0) })),
    ] as [ModelInputs] {
      #expect(try model.run(inputs)["y"] == [1, 2, 3, 4] as [Float])
    }
  }

  @Test func `for several inputs, an array is a list of values`() throws {
    let (model, _) = try vectors()
    let one = [Float](repeating: 1, count: 4)
    let two = [Float](repeating: 2, count: 8)
    for inputs in [
      ModelInputs([one, two]), ModelInputs(list: [one, two]),
      ["temperatures": one, "pressures": two],
    ] as [ModelInputs] {
      let outputs = try model.run(inputs)
      #expect(try outputs["winds"] == [1, 1, 1] as [Float])
      #expect(try outputs["clouds"] == [Float](repeating: 2, count: 6))
    }
  }

  @Test func `an input error names the input, what was expected and what was found`() throws {
    let (model, record) = try vectors()
    let good = [Float](repeating: 1, count: 4)
    let cases: [(ModelInputs, TensorIOError.Code, String)] = [
      (["temperatures": good], .missingInput, "There is no value for the input 'pressures'."),
      (
        ["temperatures": good, "pressures": good, "x": 1], .unknownInput,
        "The model has no input 'x'; its inputs are 'temperatures', 'pressures'."
      ),
      (
        ["temperatures": good, "pressures": good], .wrongElementCount,
        "'pressures' takes 8 values (shape [8]), got 4."
      ),
      (
        ModelInputs(1), .wrongInputCount,
        "The model takes 2 inputs ('temperatures', 'pressures'), got 1 value."
      ),
      (
        ModelInputs(list: [1, 2, 3]), .wrongInputCount,
        "The model takes 2 inputs ('temperatures', 'pressures'), got 3 values."
      ),
    ]
    for (inputs, code, message) in cases {
      let error = #expect(throws: TensorIOError.self) { try model.run(inputs) }
      #expect(error?.code == code)
      #expect(error?.message == message)
    }
    #expect(record.runs.isEmpty)
  }

  // MARK: - Outputs

  @Test func `outputs are found by name and by index`() throws {
    let (model, _) = try vectors()
    let outputs = try model.run([[Float](repeating: 1, count: 4), [Float](repeating: 2, count: 8)])
    #expect(outputs.count == 2)
    #expect(outputs.names == ["winds", "clouds"])
    #expect(try outputs.value(at: 1, as: [Int].self) == [2, 2, 2, 2, 2, 2])
    let name = #expect(throws: TensorIOError.self) { try outputs["rain", as: [Float].self] }
    #expect(name?.code == .unknownOutput)
    #expect(name?.message == "The model has no output 'rain'; its outputs are 'winds', 'clouds'.")
    let index = #expect(throws: TensorIOError.self) { try outputs.value(at: 2, as: Float.self) }
    #expect(index?.message == "The model has 2 outputs, but none at index 2.")
    #expect(throws: TensorIOError.self) { try outputs.value(at: -1, as: Float.self) }
  }

  @Test func `an output may read only the first values of the tensor`() throws {
    let backend = EchoBackend([
      SignatureDescription(
        key: "", inputs: [.float("x", [1, 4])], outputs: [.float("y", [1, 4])])
    ])
    let bundle = try TestBundle(inputs: [.layer("x", [4])], outputs: [.layer("y", [3])])
    let model = try InferenceModel(bundle: bundle.open(), loader: ModelLoader(backends: [backend]))
    #expect(try model.run([1, 2, 3, 4])["y"] == [1, 2, 3] as [Float])
    #expect(try model.loadWarnings().map(\.code) == [.partialOutput])
  }

  @Test func `latency is reported in parts`() throws {
    let (model, _) = try echo(
      behaviour: EchoBackend.Behaviour(onRun: { _ in usleep(3000) }))
    let (outputs, latency) = try model.measure(ModelInputs([1, 2, 3, 4]))
    #expect(try outputs["y"] == [1, 2, 3, 4] as [Float])
    #expect(latency.inference >= .milliseconds(3))
    #expect(latency.total == latency.preprocess + latency.inference + latency.postprocess)
  }

  @Test func `a runtime error is passed on, and the session stays usable`() async throws {
    let isBroken = Shared(true)
    let (model, _) = try echo(
      behaviour: EchoBackend.Behaviour(onRun: { _ in
        if isBroken.value { throw TensorIOError(.inferenceFailed, "Broken.") }
      }))
    let error = await #expect(throws: TensorIOError.self) { try await model.run([1, 2, 3, 4]) }
    #expect(error?.code == .inferenceFailed)
    isBroken.change { $0 = false }
    #expect(try await model.run([1, 2, 3, 4])["y"] == [1, 2, 3, 4] as [Float])
  }

  // MARK: - Concurrency

  @Test func `sixteen tasks share four sessions`() async throws {
    let (model, record) = try echo(
      sessions: 4, behaviour: EchoBackend.Behaviour(onRun: { _ in usleep(200) }))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<16 {
        group.addTask {
          for round in 0..<10 {
            let value = [Float](repeating: Float(task * 100 + round), count: 4)
            let result: [Float] = try await model.run(value)["y"]
            #expect(result == value)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(record.violations.isEmpty)
    #expect(record.runs.count == 160)
    #expect((2...4).contains(record.mostConcurrentRuns))
  }

  // MARK: - Batches

  private func items(_ count: Int) -> [ModelInputs] {
    (0..<count).map { item in ModelInputs((0..<4).map { Float(item * 4 + $0) }) }
  }

  private func expect(_ outputs: [ModelOutputs], areItems count: Int) throws {
    #expect(outputs.count == count)
    for (item, output) in outputs.enumerated() {
      #expect(try output["y"] == (0..<4).map { Float(item * 4 + $0) })
    }
  }

  @Test func `a model with an open batch axis runs up to 64 items at once`() throws {
    let (model, record) = try echo([-1, 4])
    try expect(try model.run(batch: items(130)), areItems: 130)
    #expect(record.runs == [64, 64, 2])
    _ = try model.run([1, 2, 3, 4])
    #expect(record.runs.last == 1)
    #expect(try model.run(batch: []).isEmpty)
  }

  @Test func `an asynchronous batch doesn't run on the task's thread`() async throws {
    let (model, record) = try echo([-1, 4])
    try expect(try await model.run(batch: items(3)), areItems: 3)
    #expect(record.runs == [3])
  }

  @Test func `a model that merely accepts other batch sizes runs item by item`() throws {
    // Nothing says that the model keeps items apart, and this one doesn't.
    let behaviour = EchoBackend.Behaviour(resizing: .firstAxis, mixesItems: true)
    let (model, record) = try echo(behaviour: behaviour)
    try expect(try model.run(batch: items(3)), areItems: 3)
    #expect(record.runs == [1, 1, 1])
  }

  @Test func `a model that accepts no batches runs item by item`() throws {
    let (model, record) = try echo()
    try expect(try model.run(batch: items(3)), areItems: 3)
    #expect(record.runs == [1, 1, 1])
    #expect(record.resizes.isEmpty)
  }

  @Test func `a batch axis that only the bundle declares is trusted`() throws {
    let (model, record) = try echo(
      [1, 4], layer: [-1, 4], behaviour: EchoBackend.Behaviour(resizing: .firstAxis))
    try expect(try model.run(batch: items(2)), areItems: 2)
    #expect(record.runs == [2])
  }

  @Test func `a described shape with two items isn't a batch`() throws {
    let (model, record) = try echo([-1, 4], layer: [2, 4])
    let inputs = (0..<3).map { item in ModelInputs((0..<8).map { Float(item * 8 + $0) }) }
    let outputs = try model.run(batch: inputs)
    #expect(try outputs[2]["y"] == (16..<24).map { Float($0) })
    #expect(record.runs == [2, 2, 2])
  }

  @Test func `texts run item by item`() throws {
    let backend = EchoBackend([
      SignatureDescription(
        key: "", inputs: [.tensor("x", .string, [-1])], outputs: [.tensor("y", .string, [-1])])
    ])
    let bundle = try TestBundle(
      inputs: [["name": "x", "type": "string", "shape": [2], "dtype": "string"]],
      outputs: [["name": "y", "type": "string", "shape": [2], "dtype": "string"]])
    let model = try InferenceModel(bundle: bundle.open(), loader: ModelLoader(backends: [backend]))
    let outputs = try model.run(batch: [ModelInputs(["a", "b"]), ModelInputs(["c", ""])])
    #expect(try outputs.map { try $0["y", as: [String].self] } == [["a", "b"], ["c", ""]])
    let error = #expect(throws: TensorIOError.self) { try model.run("a") }
    #expect(error?.message == "'x' takes 2 values (shape [2]), got 1.")
  }

  @Test func `an invalid item fails the batch, and single runs still work`() throws {
    let (model, record) = try echo([-1, 4])
    let error = #expect(throws: TensorIOError.self) {
      try model.run(batch: items(2) + [ModelInputs([1, 2])])
    }
    #expect(error?.message == "Item 2 of the batch: 'x' takes 4 values (shape [4]), got 2.")
    #expect(record.runs.isEmpty)
    #expect(try model.run([1, 2, 3, 4])["y"] == [1, 2, 3, 4] as [Float])
  }

  @Test func `a cancelled task stops its batch between two runs`() async throws {
    let entered = DispatchSemaphore(value: 0)
    let leave = DispatchSemaphore(value: 0)
    let (model, record) = try echo(
      behaviour: EchoBackend.Behaviour(onRun: { _ in
        entered.signal()
        leave.wait()
      }))
    let items = items(100)
    let task = Task { try await model.run(batch: items) }
    await onThread { entered.wait() }
    task.cancel()
    for _ in 0..<100 { leave.signal() }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(record.runs.count == 1)
    #expect(try await model.run([1, 2, 3, 4])["y"] == [1, 2, 3, 4] as [Float])
  }

  // MARK: - Signatures

  @Test func `the signature with the loader's key is used`() throws {
    let backend = EchoBackend.fixtures()
    let bundle = try TestBundle(
      set: [
        "/model/file": "two_signatures.tflite", "/inputs": [.layer("number", [2])],
        "/outputs": [.layer("squared", [2])],
      ], files: ["two_signatures.tflite": ""]
    ).open()
    let loader = ModelLoader(backends: [backend], signatureKey: "square")
    #expect(try loader.makeModel(from: bundle).run([1, 2])["squared"] == [1, 2] as [Float])
    let other = ModelLoader(backends: [backend], signatureKey: "cube")
    let error = #expect(throws: TensorIOError.self) { try other.makeModel(from: bundle).load() }
    #expect(error?.code == .invalidModel)
    #expect(error?.message.hasSuffix("has no signature 'cube'; it has 'double', 'square'.") == true)
    #expect(throws: TensorIOError.self) {
      try ModelLoader(backends: [backend]).makeModel(from: bundle).load()
    }
  }
}
