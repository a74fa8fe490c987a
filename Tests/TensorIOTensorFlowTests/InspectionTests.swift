// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOTensorFlow
import Testing

/// Tests what can be read from a model without running it.
@Suite struct InspectionTests {
  @Test(arguments: [
    ("two_tags", [["train"], ["serve"]]), ("odd_tag", [["gpu-made"]]), ("train_line", [["train"]]),
    ("unknown_op", [["serve"]]),
  ])
  func `the tags of all graphs are read without loading a graph`(
    _ name: String, _ tags: [[String]]
  ) throws {
    #expect(try SavedModels.backend.graphTags(ofModelAt: SavedModels.path(name)) == tags)
  }

  @Test func `a folder that isn't a SavedModel has no tags`() throws {
    let missing = #expect(throws: TensorIOError.self) {
      try SavedModels.backend.graphTags(ofModelAt: SavedModels.path("nothing"))
    }
    #expect(missing?.code == .fileNotFound)
    let empty = #expect(throws: TensorIOError.self) {
      try SavedModels.backend.graphTags(ofModelAt: SavedModels.folder)
    }
    #expect(empty?.code == .invalidModel)
  }

  @Test func `a SavedModel may have no weights`() throws {
    #expect(try SavedModels.model("assign_fed").hasVariables)
    #expect(try !SavedModels.model("vector").hasVariables)
  }

  @Test(arguments: [
    ("tf2", "x", "serving_default_x"), ("tf2", "sum", "PartitionedCall:1"),
    ("vector", "x", "x"), ("op_index", "parts:1", "parts:1"), ("op_index", "first", "parts"),
    ("vector", "z", nil), ("vector", "x:9", nil),
  ])
  func `a tensor's name in the graph is found`(_ model: String, _ name: String, _ expected: String?)
    throws
  {
    let model = try SavedModels.model(model)
    #expect(model.graphName(of: name, in: model.signatures[0]) == expected)
  }

  @Test func `placeholders that aren't in a signature are found, with and without a default`()
    throws
  {
    func found(_ name: String) throws -> [TensorDescription] {
      let model = try SavedModels.model(name)
      return model.placeholders(beside: model.signatures[0])
    }
    let hidden = try found("unfed")
    #expect(hidden.map(\.name) == ["hidden"])
    #expect(hidden.map(\.hasDefault) == [false])
    #expect(hidden.map(\.shape) == [[]])
    let rate = try found("default_placeholder")
    #expect(rate.map(\.name) == ["rate"])
    #expect(rate.map(\.hasDefault) == [true])
    for none in ["vector", "placeholders", "no_signature", "tf2_table", "assign_fed"] {
      #expect(try found(none).isEmpty, "\(none)")
    }
  }

  @Test func `a training step has its own placeholders`() throws {
    let model = try SavedModels.model("train_line", for: .train)
    #expect(model.hasOperation("train") && !model.hasOperation("serving_default"))
    #expect(!model.hasOperation("learn") && !model.hasOperation(""))
    #expect(model.placeholders(beside: model.signatures[0]).isEmpty)
    let others = model.placeholders(beside: model.signatures[0], operations: ["train", "learn"])
    #expect(others.map(\.name) == ["learning_rate"])
  }

  @Test func `without signatures, tensors that nothing reads are the results`() throws {
    #expect(try SavedModels.model("no_signature").results.map(\.name) == ["tripled"])
    #expect(try SavedModels.model("op_index").results.map(\.name) == ["parts", "parts:1"])
  }
}
