// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOTensorFlow
import TestSupport
import Testing

/// Tests memory that is shared with TensorFlow: inputs, outputs and variables.
@Suite struct MemoryTests {
  @Test func `a variable that keeps an input doesn't change with the next input`() throws {
    let bundle = try TestBundle(
      "assign_fed", modes: "train", inputs: [TestBundle.layer("value", [4])],
      outputs: [TestBundle.layer("stored", [4]), TestBundle.layer("echo", [4])],
      rest: #", "train": {"ops": ["set"]}"#)
    let model = try bundle.trainable()
    func train(_ value: [Float]) throws -> ModelOutputs {
      var batch = Batch(keys: ["value"])
      try batch.addItem(["value": value])
      return try model.train(batch)
    }
    let first = try train([1, 2, 3, 4])
    try #expect(first["stored", as: [Float].self] == [1, 2, 3, 4])
    // The next inputs are written, but the variable is only set by a step.
    for number in 5..<9 {
      let run = try model.run([Float](repeating: Float(number), count: 4))
      try #expect(run["stored", as: [Float].self] == [1, 2, 3, 4])
      try #expect(run["echo", as: [Float].self] == [Float](repeating: Float(number), count: 4))
    }
    try #expect(train([9, 8, 7, 6])["stored", as: [Float].self] == [9, 8, 7, 6])
    try #expect(first["stored", as: [Float].self] == [1, 2, 3, 4])
    try #expect(first["echo", as: [Float].self] == [1, 2, 3, 4])
  }

  @Test func `a variable that keeps an input doesn't change when a later operation fails`() throws {
    let bundle = try TestBundle(
      "assign_checked", modes: "train", inputs: [TestBundle.layer("value", [4])],
      outputs: [TestBundle.layer("stored", [4])],
      rest: #", "train": {"ops": ["set"]}, "placeholders": "#
        + #"[{"name": "ok", "type": "scalar", "dtype": "bool", "shape": []}]"#)
    let model = try bundle.trainable()
    func train(_ value: Float, isOK: Bool) throws {
      var batch = Batch(keys: ["value"])
      try batch.addItem(["value": [Float](repeating: value, count: 4)])
      try model.train(batch, placeholders: ["ok": isOK])
    }
    // The variable is set; reading it fails.
    #expect(throws: TensorIOError.self) { try train(1, isOK: false) }
    // Another value is written, and rejected before it runs.
    var batch = Batch(keys: ["value"])
    try batch.addItem(["value": [Float](repeating: 7, count: 4)])
    #expect(throws: TensorIOError.self) { try model.train(batch, placeholders: ["ok": "text"]) }
    let stored = try model.run([Float](repeating: 9, count: 4))["stored", as: [Float].self]
    #expect(stored == [1, 1, 1, 1])
  }

  @Test func `large outputs don't change when the model runs again or is released`() throws {
    let bundle = try TestBundle(
      "unknown_rank", inputs: [TestBundle.layer("x", [64, 64])],
      outputs: [TestBundle.layer("doubled", [64, 64])])
    let model = try SavedModels.loader.model(at: bundle.path)
    let one = try model.run([Float](repeating: 1, count: 4096))
    let two = try model.run([Float](repeating: 2, count: 4096))
    model.unload()
    try #expect(one["doubled", as: [Float].self] == [Float](repeating: 2, count: 4096))
    try #expect(two["doubled", as: [Float].self] == [Float](repeating: 4, count: 4096))
  }

  @Test func `ten thousand training steps keep memory constant`() async {
    // This runs in its own process, so that other tests' memory doesn't count.
    await #expect(processExitsWith: .success) {
      let bundle = try TestBundle.line()
      let model = try bundle.trainable()
      var batch = Batch(keys: ["x", "y"])
      // Large enough that TensorFlow allocates new memory for it.
      for row in 0..<512 { try batch.addItem(["x": [Float(row), 1], "y": 2]) }
      func train(_ count: Int) throws {
        for step in 0..<count {
          try model.train(batch, placeholders: ["learning_rate": Float(0)])
          if step.isMultiple(of: 10) { _ = try model.evaluate(batch) }
        }
      }
      try train(1_000)
      let before = try residentKilobytes()
      try train(10_000)
      let growth = try residentKilobytes() - before
      // A step's batch takes 6 kB: if one in ten leaked, that would be 6 MB.
      guard growth < 3_000 else { throw TensorIOError(.internalFault, "grew by \(growth) kB") }
    }
  }

  @Test func `loading, running and unloading two hundred times keeps memory constant`() async {
    await #expect(processExitsWith: .success) {
      let bundle = try TestBundle.line()
      let model = try bundle.trainable()
      func cycle(_ count: Int) throws {
        for _ in 0..<count {
          try model.load()
          _ = try model.run(["x": [0, 1], "y": 2]) as ModelOutputs
          model.unload()
        }
      }
      try cycle(100)
      let before = try residentKilobytes()
      try cycle(200)
      let growth = try residentKilobytes() - before
      // A loaded model takes hundreds of kilobytes.
      guard growth < 10_000 else { throw TensorIOError(.internalFault, "grew by \(growth) kB") }
    }
  }
}
