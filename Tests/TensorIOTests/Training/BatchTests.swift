// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import TensorIO

struct BatchTests {
  @Test func `rows and columns are kept as added`() throws {
    var batch = Batch(keys: ["x", "n"])
    try batch.addItem(["x": 1 as Float, "n": 10 as Int32])
    try batch.addItem(["n": 20 as Int32, "x": 2 as Float])
    #expect(batch.count == 2)
    #expect(batch.items[1]["n"] as? Int32 == 20)
    #expect(batch.column("x")?.compactMap { $0 as? Float } == [1, 2])
    #expect(batch.column("y") == nil)
  }

  @Test func `for an item without a value, the error names the item and the key`() throws {
    var batch = Batch(keys: ["x", "n"])
    try batch.addItem(["x": 1, "n": 2])
    let error = #expect(throws: TensorIOError.self) { try batch.addItem(["x": 1]) }
    #expect(error?.code == .missingInput)
    #expect(error?.message == "Item 1 has no value for 'n'.")
    #expect(batch.count == 1)
  }

  @Test func `for an item with an unknown key, the error names the item and the keys`() throws {
    var batch = Batch(keys: ["x", "n"])
    let error = #expect(throws: TensorIOError.self) {
      try batch.addItem(["x": 1, "n": 2, "z": 3])
    }
    #expect(error?.code == .unknownInput)
    #expect(
      error?.message
        == "Item 0 has a value for 'z', which isn't one of the batch's keys ('x', 'n').")
    #expect(batch.count == 0)
  }

  @Test func `a step trains and returns the loss after it`() throws {
    let line = try LineFixture(outputs: [.loss, .errors, .y])
    let batch = try Batch(keys: ["x", "target"], items: LineFixture.points(2))
    let outputs = try line.model.train(batch, placeholders: ["learning_rate": 0.5])
    // The gradients of weight and bias at 0, 0 are -3 and -4, so a step of 0.5 leads to 1.5 and 2.
    try #expect(outputs["y", as: [Float].self] == [2, 3.5])
    try #expect(outputs["errors", as: [Float].self] == [1, 0.25])
    try #expect(outputs["loss", as: Float.self] == 0.625)
    #expect(try line.answer == 17)
  }

  @Test func `evaluating a batch doesn't train`() throws {
    let line = try LineFixture()
    let batch = try Batch(keys: ["x", "target"], items: LineFixture.points(2))
    try #expect(line.model.evaluate(batch)["loss", as: Float.self] == 5)
    try #expect(line.model.evaluate(batch)["loss", as: Float.self] == 5)
    #expect(line.backend.record.steps.isEmpty)
  }

  @Test(
    arguments: [
      (["x"], [["x": 1]], "The batch has no values for the input 'target'; its keys are 'x'."),
      (
        ["x", "target", "z"], [["x": 1, "target": 1, "z": 1]],
        "The model has no input 'z'; its inputs are 'x', 'target'."
      ),
      (["x", "target"], [], "The batch has no items; add at least one."),
      (
        ["x", "target"], [["x": 1, "target": 1], ["x": 1, "target": [1, 2]]],
        "Item 1 of the batch: 'target' takes 1 value (shape [1]), got 2."
      ),
    ] as [([String], [Batch.Item], String)])
  func `for a batch that doesn't fit, the error says why`(
    keys: [String], items: [Batch.Item], message: String
  ) throws {
    let line = try LineFixture()
    let batch = try Batch(keys: keys, items: items)
    let error = #expect(throws: TensorIOError.self) { try line.model.train(batch) }
    #expect(error?.message == message)
    #expect(line.backend.record.steps.isEmpty)
  }

  @Test func `weights are exported and restored`() async throws {
    let line = try LineFixture()
    let batch = try Batch(keys: ["x", "target"], items: LineFixture.points(2))
    try await line.model.train(batch, placeholders: ["learning_rate": 0.5])
    let folder = try TemporaryFolder()
    try line.model.export(to: folder.path)
    line.model.unload()
    #expect(try line.answer == 0)
    try line.model.restore(from: folder.path)
    #expect(try line.answer == 17)
  }
}
