// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `tensorio validate` on bundles with SavedModels.
@Suite(
  .enabled(if: hasTensorFlow, "TensorFlow's library is missing; run 'make tensorflow'."))
struct SavedModelValidateTests {
  private typealias Bundle = SavedModelBundle

  /// Validates a bundle and replaces its path in the output with `BUNDLE`.
  private func validate(
    _ bundle: SavedModelBundle, _ arguments: String...
  ) async throws -> CommandRunner.Result {
    let result = try await CommandRunner.run(["validate", bundle.path] + arguments)
    return (result.status, result.output.replacing(bundle.path, with: "BUNDLE"), result.error)
  }

  @Test func `sound bundles are valid`() async throws {
    let bundle = try Bundle.line(
      operations: #"["train"]"#, rest: #", "placeholders": [\#(Bundle.layer("learning_rate", []))]"#
    )
    #expect(try await validate(bundle) == (0, "BUNDLE: valid\n", ""))
    #expect(
      try await CommandRunner.run(["validate", "Demo/digits-train.tiobundle"])
        == (0, "Demo/digits-train.tiobundle: valid\n", ""))
  }

  @Test func `layers that the graph lacks are errors`() async throws {
    let bundle = try Bundle(
      "vector", inputs: [Bundle.layer("z", [4])], outputs: [Bundle.layer("y:7", [4])])
    #expect(
      try await validate(bundle) == (
        65,
        """
        BUNDLE: 2 errors
          error [unknown-tensor] at inputs[0].name
            expected  'x'
            found     'z'
            fix       Use a name from the model.
          error [unknown-tensor] at outputs[0].name
            expected  'y'
            found     'y:7'
            fix       Use a name from the model.

        """, ""
      ))
  }

  @Test func `inputs and placeholders without a layer are errors`() async throws {
    let input = try Bundle("tf2", inputs: [], outputs: [Bundle.layer("sum", [-1])])
    #expect(
      try await validate(input) == (
        65,
        """
        BUNDLE: 1 error
          error [layer-count] at inputs
            expected  a layer for each input of the model: 'x'
            found     none for 'x'
            fix       Describe every input of the model.

        """, ""
      ))
    let placeholder = try Bundle(
      "unfed", inputs: [Bundle.layer("x", [4])], outputs: [Bundle.layer("y", [4])])
    #expect(
      try await validate(placeholder) == (
        65,
        """
        BUNDLE: 1 error
          error [layer-count] at placeholders
            expected  a layer for each placeholder that the outputs need
            found     none for 'hidden'
            fix       Describe each of them here or in "inputs".

        """, ""
      ))
  }

  @Test func `wrong data types and element counts are errors`() async throws {
    let bundle = try Bundle(
      "types_bool", inputs: [Bundle.layer("x", [5])],
      outputs: [Bundle.layer("opposite", [4], dtype: "int32")])
    #expect(
      try await validate(bundle) == (
        65,
        """
        BUNDLE: 2 errors
          error [element-count-mismatch] at inputs[0].shape
            expected  4 values, because the tensor's shape is [4]
            found     5 in the shape [5]
            fix       Write the shape of the tensor 'x'.
          error [data-type-mismatch] at outputs[0].dtype
            expected  bool, the tensor's own type
            found     int32
            fix       Write "dtype": "bool", or leave it out.

        """, ""
      ))
  }

  @Test func `missing variables make the model unusable`() async throws {
    let bundle = try Bundle(
      "assign_fed", inputs: [Bundle.layer("value", [4])], outputs: [Bundle.layer("stored", [4])])
    try FileManager.default.removeItem(atPath: bundle.modelPath + "/variables")
    #expect(
      try await validate(bundle) == (
        65,
        """
        BUNDLE: 1 error
          error [unusable-model] at model.file
            expected  a model that the runtime can run
            found     'BUNDLE/model' has variables, but no file variables/variables.index. Copy \
        the whole SavedModel folder.
            fix       Replace the model, or convert it again.

        """, ""
      ))
  }

  @Test func `a signature that the model lacks is an error`() async throws {
    let bundle = try Bundle(
      "vector", fields: #", "signature": "double""#, inputs: [Bundle.layer("x", [4])],
      outputs: [Bundle.layer("y", [4])])
    let result = try await validate(bundle)
    #expect(
      result == (
        65,
        """
        BUNDLE: 1 error
          error [unknown-tensor] at model.signature
            expected  one of 'serving_default'
            found     'double'
            fix       Use one of these keys, or leave out the key to use the first signature.

        """, ""
      ))
  }

  @Test func `a description without outputs is a warning`() async throws {
    let bundle = try Bundle("no_signature", inputs: [Bundle.layer("x", [4])], outputs: [])
    #expect(
      try await validate(bundle) == (
        0,
        """
        BUNDLE: valid, 1 warning
          warning [layer-count] at outputs
            expected  at least one layer
            found     none
            fix       Describe the outputs to read; the model can't run without them.

        """, ""
      ))
  }

  // MARK: - Training

  @Test func `training operations that can't run are errors`() async throws {
    #expect(
      try await validate(Bundle.line(operations: #"["learn", "train"]"#), "--json") == (
        65,
        #"""
        [{"bundle":"BUNDLE","issues":[{"code":"bad-training-operation","expected":"an operation \#
        of the model, or a signature that changes variables","found":"'learn'","mending":"Name \#
        the operation of a training step.","path":"train.ops[0]","severity":"error"}],"valid":false}]

        """#, ""
      ))
    #expect(
      try await validate(Bundle.line(operations: #"["train"]"#)) == (
        65,
        """
        BUNDLE: 1 error
          error [bad-training-operation] at train.ops
            expected  a layer for each placeholder that the operations need
            found     none for 'learning_rate'
            fix       Describe each one in model.json, as an input or in "placeholders".

        """, ""
      ))
  }

  @Test func `training without operations is a warning`() async throws {
    #expect(
      try await validate(Bundle.line(operations: nil)) == (
        0,
        """
        BUNDLE: valid, 1 warning
          warning [missing-key] at train.ops
            expected  the operations of a training step, since model.modes has "train"
            found     nothing
            fix       Add "train": {"ops": [names]}, or remove "train" from "modes"; without it the model runs, but does not learn.

        """, ""
      ))
  }

  // MARK: - The library

  @Test func `without TensorFlow's library, --description-only still checks model.json`()
    async throws
  {
    let path = "Demo/digits-train.tiobundle"
    #expect(
      try await CommandRunner.run(["validate", path], environment: withoutTensorFlow) == (
        69, "",
        "error: '\(path)' can't be compared with its model. \(tensorFlowIsMissing) To check "
          + "only model.json, pass --description-only.\n"
      ))
    #expect(
      try await CommandRunner.run(
        ["validate", path, "--description-only"], environment: withoutTensorFlow)
        == (0, "\(path): valid\n", ""))
  }

  @Test(.enabled(if: SharedData.folder != nil, "The folder shared/data is missing."))
  func `bundles of the original project are valid`() async throws {
    let folder = try #require(SharedData.folder).appending(path: "bundles/tensorflow").path
    let bundles = try FileManager.default.contentsOfDirectory(atPath: folder).map {
      folder + "/" + $0
    }
    let result = try await CommandRunner.run(["validate"] + bundles)
    #expect(result == (0, bundles.map { $0 + ": valid\n" }.joined(), ""))
  }
}
