// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `tensorio inspect` on SavedModels and their bundles.
@Suite(
  .enabled(if: hasTensorFlow, "TensorFlow's library is missing; run 'make tensorflow'."))
struct SavedModelInspectTests {
  private func inspect(_ arguments: String...) async throws -> CommandRunner.Result {
    try await CommandRunner.run(["inspect"] + arguments)
  }

  @Test(arguments: [
    (
      "matmul", 683,
      """
        TensorFlow  2.21.0
        Tags        serve
        Variables   no
        Files       saved_model.pb (683)

      Signature serving_default
                #  Name     Type     Shape
        input   0  a        float32  [2, 3]
        input   1  b        float32  [3, 2]
        output  0  product  float32  [2, 2]
      """
    ),
    (
      "default_placeholder", 776,
      """
        TensorFlow  2.21.0
        Tags        serve
        Variables   no
        Files       saved_model.pb (776)

      Signature serving_default
                     #  Name   Type     Shape  About
        input        0  x      float32  [4]
        placeholder  0  rate   float32  []     has a default
        output       0  rated  float32  [4]
      """
    ),
    (
      "no_signature", 501,
      """
        TensorFlow  2.21.0
        Tags        serve
        Variables   no
        Files       saved_model.pb (501)
        Results     tripled

      Placeholders of the graph (no signatures)
               #  Name  Type     Shape
        input  0  x     float32  [4]
      """
    ),
    (
      "unknown_rank", 577,
      """
        TensorFlow  2.21.0
        Tags        serve
        Variables   no
        Files       saved_model.pb (577)

      Signature serving_default
                #  Name     Type     Shape
        input   0  x        float32  any rank
        output  0  doubled  float32  any rank
      """
    ),
    (
      "two_tags", 11446,
      """
        TensorFlow  2.21.0
        Graphs      train; serve (shown below)
        Variables   yes
        Files       saved_model.pb (11320), variables/variables.data-00000-of-00001 (4), \
      variables/variables.index (122)

      Signature serving_default
                #  Name  Type     Shape
        input   0  x     float32  [2]
        output  0  y     float32  [2]
      """
    ),
    (
      "tf2_train", 23787,
      """
        TensorFlow  2.21.0
        Tags        serve
        Variables   yes
        Files       saved_model.pb (23267), variables/variables.data-00000-of-00001 (274), \
      variables/variables.index (246)

      Signature serving_default
                #  Name        Type     Shape    Tensor
        input   0  x           float32  [-1, 1]  serving_default_x
        output  0  prediction  float32  [-1, 1]  StatefulPartitionedCall

      Signature train
                #  Name  Type     Shape    Tensor
        input   0  rate  float32  []       train_rate
        input   1  x     float32  [-1, 1]  train_x
        input   2  y     float32  [-1, 1]  train_y
        output  0  loss  float32  []       StatefulPartitionedCall_1
      """
    ),
    (
      "train_line", 17193,
      """
        TensorFlow  2.21.0
        Tags        train
        Variables   yes
        Files       saved_model.pb (17026), variables/variables.data-00000-of-00001 (12), \
      variables/variables.index (155)
        Training    train (needs learning_rate, x, y)

      Signature train
                #  Name        Type     Shape
        input   0  x           float32  [-1, 2]
        input   1  y           float32  [-1, 1]
        output  0  loss        float32  []
        output  1  mean_error  float32  []

      Signature serving_default
                #  Name        Type     Shape
        input   0  x           float32  [-1, 2]
        output  0  prediction  float32  [-1, 1]
      """
    ),
  ])
  func `a SavedModel shows its graphs, files and tensors`(
    name: String, bytes: Int, text: String
  ) async throws {
    #expect(
      try await inspect("\(savedModelsFolder)/\(name)")
        == (0, "\(name): a SavedModel, \(bytes) bytes\n\n\(text)\n", ""))
  }

  @Test func `JSON has the documented keys`() async throws {
    #expect(
      try await inspect("--json", "\(savedModelsFolder)/unfed") == (
        0,
        #"""
        {"bundle":null,"kind":"model","model":{"author":null,"backend":"tensorflow","bytes":516,\#
        "description":null,"file":"unfed","license":null,"name":null,"saved_model":{"files":[\#
        {"bytes":516,"name":"saved_model.pb"}],"graphs":[["serve"]],"results":[],"tags":\#
        ["serve"],"tensorflow_version":"2.21.0","train_ops":[],"variables":false},"signatures":\#
        [{"inputs":[{"has_default":false,"index":0,"metadata":null,"name":"x","quantization":null,\#
        "shape":[4],"tensor":"x","type":"float32"}],"key":"serving_default","outputs":[\#
        {"has_default":false,"index":0,"metadata":null,"name":"y","quantization":null,"shape":[4],\#
        "tensor":"y","type":"float32"}],"placeholders":[{"has_default":false,"index":0,"metadata":\#
        null,"name":"hidden","quantization":null,"shape":[],"tensor":"hidden","type":"float32"}]}],\#
        "version":null},"path":"Tests/Fixtures/SavedModels/unfed","warnings":[]}

        """#, ""
      ))
  }

  @Test(arguments: [
    ("tf2", #""name":"sum","quantization":null,"shape":[-1],"tensor":"PartitionedCall:1""#),
    ("unknown_rank", #""name":"x","quantization":null,"shape":null,"tensor":"x""#),
    ("default_placeholder", #""placeholders":[{"has_default":true,"index":0,"#),
    ("two_tags", #""graphs":[["train"],["serve"]],"results":[],"tags":["serve"]"#),
    ("train_line", #""train_ops":[{"name":"train","needs":["learning_rate","x","y"]}]"#),
    ("no_signature", #""results":["tripled"]"#),
  ])
  func `the JSON contains what the text shows`(name: String, part: String) async throws {
    let result = try await inspect("--json", "\(savedModelsFolder)/\(name)")
    #expect(result.status == 0 && result.error == "")
    #expect(result.output.contains(part), "\(result.output)")
  }

  // MARK: - Bundles

  @Test func `a bundle for training shows its description and its graph`() async throws {
    let result = try await inspect("Demo/digits-train.tiobundle")
    #expect(result.status == 0 && result.error == "")
    let end = """
        Model      train
        Backend    tensorflow
        Type       image.classification.digits
        Quantized  no
        Modes      train
        Training   train

      Layers, as model.json describes them
                     #  Name           Type    Shape            Data type  About
        input        0  image          image   [-1, 32, 32, 1]             GRAY; crop center; \
      pillow-bilinear; normalized to [0,1]
        input        1  label          array   [-1, 1]          int32
        placeholder  0  learning_rate  scalar  []               float32
        output       0  loss           scalar  []
        output       1  accuracy       scalar  []
        output       2  probabilities  array   [-1, 10]                    10 labels ('zero', \
      'one', 'two', ...)

      train: a SavedModel, 339949 bytes

        TensorFlow  2.21.0
        Tags        train
        Variables   yes
        Files       saved_model.pb (108873), variables/variables.data-00000-of-00001 (230144), \
      variables/variables.index (932)
        Training    train (needs image, label, learning_rate)

      Signature serving_default
                #  Name           Type     Shape
        input   0  image          float32  [-1, 32, 32, 1]
        output  0  probabilities  float32  [-1, 10]

      """
    #expect(result.output.hasSuffix(end), "\(result.output)")
  }

  @Test func `training operations that the model lacks are reported`() async throws {
    let bundle = try SavedModelBundle.line(operations: #"["learn", "train"]"#)
    let text = try await inspect(bundle.path)
    #expect(text.status == 0 && text.error == "")
    #expect(text.output.contains("\n  Training   learn (not in the model), train\n"))
    #expect(
      text.output.hasSuffix(
        """

        Warnings
          error: train.ops[0]: expected an operation of the model, or a signature that changes \
        variables, found 'learn' [bad-training-operation]. Name the operation of a training step.

        """))
    let json = try await inspect(bundle.path, "--json")
    let operations =
      #""train_ops":[{"exists":false,"name":"learn"},{"exists":true,"name":"train"}]"#
    #expect(json.output.contains(operations), "\(json.output)")
  }

  @Test func `the graph that matches the bundle's modes is shown`() async throws {
    let layers = (SavedModelBundle.layer("x", [2]), SavedModelBundle.layer("y", [2]))
    let bundle = try SavedModelBundle(
      "two_tags", fields: #", "modes": ["train"]"#, inputs: [layers.0], outputs: [layers.1])
    let result = try await inspect(bundle.path)
    #expect(result.output.contains("  Graphs      train (shown below); serve\n"))
    #expect(result.output.contains("  warning: train.ops: expected the operations of a training"))
  }

  // MARK: - Errors

  @Test func `without TensorFlow's library, the error names the variable to correct`() async throws
  {
    for path in ["\(savedModelsFolder)/vector", "Demo/digits-train.tiobundle"] {
      #expect(
        try await CommandRunner.run(["inspect", path], environment: withoutTensorFlow)
          == (69, "", "error: \(tensorFlowIsMissing)\n"))
    }
  }

  @Test func `damaged and unsupported SavedModels are errors`() async throws {
    let folder = try TemporaryFolder()
    let file = URL(filePath: folder.path + "/saved_model.pb")
    try Data("no message".utf8).write(to: file)
    #expect(
      try await inspect(folder.path) == (
        65, "",
        "error: '\(folder.path)/saved_model.pb' is damaged: it isn't a valid SavedModel message.\n"
      ))
    #expect(
      try await inspect(file.path) == (
        65, "",
        "error: '\(file.path)' is part of a SavedModel. Pass the folder that contains it.\n"
      ))
    try Data().write(to: file)
    #expect(
      try await inspect(folder.path)
        == (
          65, "",
          "error: '\(folder.path)' has no graph with the tag 'serve'. It has no graphs at all. "
            + "Export the model again.\n"
        ))
    #expect(
      try await inspect("\(savedModelsFolder)/unknown_op") == (
        65, "",
        "error: The model 'Tests/Fixtures/SavedModels/unknown_op' needs the operation "
          + "'NoSuchOperation', which this version of TensorFlow doesn't have. Export the "
          + "model with TensorFlow 2 operations.\n"
      ))
  }

  @Test(.enabled(if: SharedData.folder != nil, "The folder shared/data is missing."))
  func `bundles of the original project are inspected without warnings`() async throws {
    let folder = try #require(SharedData.folder).appending(path: "bundles/tensorflow").path
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let result = try await inspect(folder + "/" + name)
      #expect(result.status == 0 && result.error == "", "\(name) \(result.error)")
      #expect(result.output.contains(": a SavedModel, "))
      #expect(!result.output.contains("Warnings"), "\(result.output)")
    }
  }
}
