// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOTensorFlow
import TensorIOTesting
import Testing

@Suite struct TensorFlowBackendTests {
  private static let models: BackendConformance.Models = {
    var models = BackendConformance.Models()
    models.twoInputs = "matmul"
    models.vector = "vector"
    models.bytes = "reverse_uint8"
    models.integers = "reverse_int32"
    models.twoSignatures = "two_signatures"
    models.openBatch = "open_batch"
    models.fixedBatch = "fixed_batch"
    models.strings = "strings"
    models.image = "picture"
    return models
  }()

  @Test(arguments: BackendConformance.Check.allCases)
  func `the backend conforms`(_ check: BackendConformance.Check) async throws {
    let conformance = BackendConformance(
      SavedModels.backend, models: SavedModels.folder, named: Self.models)
    try await conformance.run(check)
  }

  @Test func `a model describes its signatures, types and shapes`() throws {
    let two = try SavedModels.model("two_signatures")
    #expect(two.signatures.map(\.key) == ["double", "halve"])
    let tf2 = try SavedModels.model("tf2")
    #expect(tf2.signatures.map(\.key) == ["serving_default"])
    #expect(tf2.signatures[0].inputs.map(\.name) == ["x"])
    #expect(tf2.signatures[0].inputs[0].shape == [-1, 2])
    #expect(tf2.signatures[0].outputs.map(\.name) == ["difference", "sum"])
    let any = try SavedModels.model("unknown_rank").signatures[0].inputs[0]
    #expect(any.rankIsUnknown)
    let none = try SavedModels.model("no_signature").signatures
    #expect(none.map(\.key) == [""])
    #expect(none[0].inputs.map(\.name) == ["x"])
    #expect(try SavedModels.model("train_line", for: .train).signatures[0].key == "train")
  }

  @Test func `a key that is another operation's name is replaced by its tensor's name`() throws {
    let model = try SavedModels.model("key_shadow")
    #expect(model.signatures[0].outputs.map(\.name) == ["other"])
  }

  @Test(arguments: [
    ("unknown_op", TensorIOError.Code.unsupportedModel, "NoSuchOperation"),
    ("missing_kernel", .unsupportedModel, "BoostedTrees"),
  ])
  func `for an operation that TensorFlow lacks, the error names it`(
    _ name: String, _ code: TensorIOError.Code, _ reason: String
  ) throws {
    let error = #expect(throws: TensorIOError.self) {
      let model = try SavedModels.model(name)
      let session = try model.makeSession(signature: 0, options: SessionOptions())
      try session.resizeInputs(to: [[1]])
      try session.withInput(at: 0) { memory in
        memory.withUnsafeMutableBytes { bytes in
          for index in bytes.indices { bytes[index] = 0 }
        }
      }
      try session.run()
    }
    #expect(error?.code == code)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test func `the graph with the tag is loaded, or the only graph`() throws {
    func tenfold(_ modes: String) throws -> [Float] {
      let bundle = try TestBundle(
        "two_tags", modes: modes, inputs: [TestBundle.layer("x", [2])],
        outputs: [TestBundle.layer("y", [2])])
      return try InferenceModel(at: bundle.path, loader: SavedModels.loader)
        .run([1, 2] as [Float])["y"]
    }
    #expect(try tenfold("train") == [10, 20])
    #expect(try tenfold("predict") == [20, 40])
    #expect(try SavedModels.model("odd_tag").tags == ["gpu-made"])
  }

  @Test func `a model with wrong shapes from an old exporter can be loaded`() throws {
    let bundle = try TestBundle(
      "old_output_shapes", inputs: [TestBundle.layer("x", [4])],
      outputs: [TestBundle.layer("y", [4])])
    let model = try SavedModels.loader.model(at: bundle.path)
    let doubled: [Float] = try model.run([1, 2, 3, 4] as [Float])["y"]
    #expect(doubled == [2, 4, 6, 8])
  }

  @Test func `for a placeholder that model.json omits, the error names it at load`() throws {
    let bundle = try TestBundle(
      "unfed", inputs: [TestBundle.layer("x", [4])], outputs: [TestBundle.layer("y", [4])])
    let error = #expect(throws: TensorIOError.self) {
      try SavedModels.loader.model(at: bundle.path).load()
    }
    #expect(error?.code == .invalidBundle)
    #expect(error?.message.contains("'hidden'") == true, "\(error?.message ?? "")")
  }

  @Test func `for an input that model.json omits, the error names its key`() throws {
    let bundle = try TestBundle("tf2", inputs: [], outputs: [TestBundle.layer("sum", [-1])])
    let error = #expect(throws: TensorIOError.self) {
      try SavedModels.loader.model(at: bundle.path).load()
    }
    #expect(error?.issues.map(\.path) == ["inputs"])
    #expect(error?.issues.map(\.found) == ["none for 'x'"])
  }

  @Test func `operations of a step that can't run are issues`() throws {
    func issues(_ operations: String) throws -> [String] {
      let bundle = try TestBundle(
        "train_line", modes: "train",
        inputs: [TestBundle.layer("x", [-1, 2]), TestBundle.layer("y", [-1, 1])],
        outputs: [TestBundle.layer("loss", [1])], rest: #", "train": {"ops": \#(operations)}"#)
      let error = #expect(throws: TensorIOError.self) { try bundle.trainable().load() }
      #expect(error?.code == .invalidBundle)
      return (error?.issues ?? []).map { "\($0.code.rawValue) \($0.path) \($0.found)" }
    }
    #expect(
      try issues(#"["learn", "train", "more"]"#) == [
        "bad-training-operation train.ops[0] 'learn'",
        "bad-training-operation train.ops[2] 'more'",
      ])
    #expect(
      try issues(#"["train"]"#) == ["bad-training-operation train.ops none for 'learning_rate'"])
  }

  @Test func `a signature that the model lacks is an issue`() throws {
    let bundle = try TestBundle(
      "two_signatures", inputs: [TestBundle.layer("x", [3])],
      outputs: [TestBundle.layer("y", [3])])
    var loader = SavedModels.loader
    loader.signatureKey = "third"
    let model = try loader.model(at: bundle.path)
    let error = #expect(throws: TensorIOError.self) { try model.load() }
    #expect(error?.code == .invalidModel)
    #expect(error?.issues.map(\.path) == ["model.signature"])
    #expect(error?.issues.map(\.expected) == ["one of 'double', 'halve'"])
  }

  @Test func `an unknown layer is an error that lists the model's own`() throws {
    let bundle = try TestBundle(
      "vector", inputs: [TestBundle.layer("z", [4])], outputs: [TestBundle.layer("y:7", [4])])
    let error = #expect(throws: TensorIOError.self) {
      try SavedModels.loader.model(at: bundle.path).load()
    }
    for part in ["'z'", "'x'", "'y:7'", "'y'"] {
      #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }
  }
}
