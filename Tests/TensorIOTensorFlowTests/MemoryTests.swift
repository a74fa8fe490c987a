// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOTensorFlow
import Testing

/// Memory that TensorFlow shares: inputs, outputs and variables.
@Suite struct MemoryTests {
  @Test func `a variable that keeps what was fed does not change with the next input`() throws {
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

  @Test func `large outputs stay as they were when the model runs again and goes`() throws {
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
}
