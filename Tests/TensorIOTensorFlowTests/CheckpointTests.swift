// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOTensorFlow
import Testing

/// Tests weights that can't be written or read.
@Suite struct CheckpointTests {
  @Test func `a folder that is missing or can't be written is an error`() throws {
    let bundle = try TestBundle.line()
    let model = try bundle.trainable()
    let missing = #expect(throws: TensorIOError.self) {
      try model.export(to: bundle.pathBeside("nowhere"))
    }
    #expect(missing?.code == .fileNotFound)
    #expect(missing?.message.contains("nowhere") == true)
    // Not even root can create files there.
    let unwritable = #expect(throws: TensorIOError.self) { try model.export(to: "/proc") }
    #expect(unwritable?.code == .unwritableFile)
    #expect(unwritable?.message.contains("/proc") == true)
  }

  @Test func `a folder without a checkpoint is an error`() throws {
    let bundle = try TestBundle.line()
    let model = try bundle.trainable()
    for folder in [bundle.folder, bundle.pathBeside("nowhere")] {
      let error = #expect(throws: TensorIOError.self) { try model.restore(from: folder) }
      #expect(error?.code == .fileNotFound)
      #expect(error?.message.contains("checkpoint.index") == true)
    }
  }

  @Test func `a checkpoint of another export, whose variables have other paths, is an error`()
    throws
  {
    let bundle = try TestBundle.tf2Training()
    let model = try bundle.trainable()
    let folder = try bundle.makeFolder("saved")
    try model.export(to: folder)
    let file = URL(filePath: folder + "/checkpoint.variables.json")
    var names = try JSONDecoder().decode([String: String].self, from: Data(contentsOf: file))
    #expect(names.count >= 2)
    try model.restore(from: folder)
    // As if the lists of variables had been written in another order.
    let paths = names.keys.sorted()
    let (first, last) = (paths[0], try #require(paths.last { names[$0] != names[paths[0]] }))
    (names[first], names[last]) = (names[last], names[first])
    try JSONEncoder().encode(names).write(to: file)
    let error = #expect(throws: TensorIOError.self) { try model.restore(from: folder) }
    #expect(error?.code == .invalidModel)
    #expect(
      error?.message.contains("is of another export than '\(bundle.path)/model': '\(first)' is '")
        == true)
    try Data("{".utf8).write(to: file)
    let damaged = #expect(throws: TensorIOError.self) { try model.restore(from: folder) }
    #expect(damaged?.message.contains("checkpoint.variables.json' is damaged") == true)
    // Checkpoints of earlier versions lack the file.
    try FileManager.default.removeItem(at: file)
    try model.restore(from: folder)
  }

  @Test func `damaged and foreign checkpoints are errors, and the model still works`() throws {
    let bundle = try TestBundle.line()
    let model = try bundle.trainable()
    let folder = try bundle.makeFolder("saved")
    try model.export(to: folder)
    var batch = Batch(keys: ["x", "y"])
    try batch.addItem(["x": [0, 1], "y": 2])
    let before: Float = try model.evaluate(batch)["loss"]
    let index = URL(filePath: folder + "/checkpoint.index")
    let whole = try Data(contentsOf: index)
    for damaged in [Data(), whole.prefix(whole.count / 2), Data(whole.map { ~$0 })] {
      try damaged.write(to: index)
      let error = #expect(throws: TensorIOError.self) { try model.restore(from: folder) }
      #expect(error?.code == .invalidModel)
      #expect(error?.message.contains(folder) == true)
    }
    try whole.write(to: index)
    let data = URL(filePath: folder + "/checkpoint.data-00000-of-00001")
    try Data(contentsOf: data).prefix(3).write(to: data)
    #expect(throws: TensorIOError.self) { try model.restore(from: folder) }
    let adam = try TestBundle(
      "train_adam", modes: "train",
      inputs: [
        TestBundle.layer("x", [-1, 2]), TestBundle.layer("label", [-1, 1], dtype: "int64"),
      ],
      outputs: [TestBundle.layer("loss", [1])], rest: #", "train": {"ops": ["train"]}"#)
    let other = try bundle.makeFolder("other")
    try adam.trainable().export(to: other)
    let error = #expect(throws: TensorIOError.self) { try model.restore(from: other) }
    #expect(error?.code == .invalidModel)
    #expect(error?.message.contains("shape") == true, "\(error?.message ?? "")")
    try #expect(model.evaluate(batch)["loss"] == before)
  }

  @Test func `a model without variables has nothing to export`() throws {
    let bundle = try TestBundle(
      "vector", modes: "train", inputs: [TestBundle.layer("x", [4])],
      outputs: [TestBundle.layer("y", [4])], rest: #", "train": {"ops": ["y"]}"#)
    let error = #expect(throws: TensorIOError.self) {
      try bundle.trainable().export(to: bundle.folder)
    }
    #expect(error?.code == .unsupportedModel)
    #expect(error?.message.contains("no saver") == true)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: bundle.folder) == ["test.tiobundle"])
  }
}
