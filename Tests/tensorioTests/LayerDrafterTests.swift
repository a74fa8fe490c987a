// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import Testing

@testable import ModelTools
@testable import TensorIOLiteRT

/// The layers that `tensorio init` drafts for tensors that no fixture has.
@Suite struct LayerDrafterTests {
  private static let stored = StoredQuantization(scales: [0.5], zeroPoints: [3])

  private static func tensor(
    _ name: String, _ dataType: DataType?, _ shape: [Int], isQuantized: Bool = false
  ) -> TensorDescription {
    TensorDescription(
      name: name, dataType: dataType, typeName: dataType?.rawValue ?? "uint64", shape: shape,
      quantization: isQuantized ? stored : nil)
  }

  /// The layers of a signature as text, and the drafter with its checks.
  private static func draft(
    inputs: [TensorDescription], outputs: [TensorDescription] = [],
    inputMetadata: TensorMetadata? = nil, outputMetadata: TensorMetadata? = nil
  ) throws -> (inputs: [String], outputs: [String], drafter: LayerDrafter) {
    var drafter = LayerDrafter(
      SignatureDescription(key: "", inputs: inputs, outputs: outputs))
    let inputLayers = try drafter.inputs(inputs.map { _ in inputMetadata })
    let outputLayers = try drafter.outputs(outputs.map { _ in outputMetadata })
    return (inputLayers.map(line), outputLayers.map(line), drafter)
  }

  /// A layer on one line.
  private static func line(_ layer: OrderedJSON) -> String {
    layer.text.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: " ")
  }

  @Test func `a generic model name is replaced by the bundle's name`() throws {
    for (name, expected) in [
      ("ImageClassifier", "birds"), ("Image classifier", "birds"), ("", "birds"),
      ("Birds of India", "Birds of India"),
    ] {
      var blanks: [String] = []
      let members = BundleDraft.members(
        ModelMetadata(name: name), bundleName: "birds", blanks: &blanks)
      #expect(members[0].value.text.contains(expected), "\(name)")
    }
  }

  @Test func `layer names are made unique and non-empty`() throws {
    let inputs = ["x", "x", "", "x_2"].map { Self.tensor($0, .float32, [2]) }
    let (layers, _, drafter) = try Self.draft(inputs: inputs)
    let names = ["x", "x_2", "input", "x_2_2"]
    #expect(layers == names.map { #"{ "name": "\#($0)", "type": "array", "shape": [2] }"# })
    #expect(
      drafter.checks == [
        "name of 'x_2': the model's name for the input at index 1 is 'x'",
        "name of 'input': the model's name for the input at index 2 is ''",
        "name of 'x_2_2': the model's name for the input at index 3 is 'x_2'",
      ])
  }

  @Test(arguments: [
    (DataType.float32, [], false, #""scalar", "shape": []"#),
    (.int64, [2], false, #""array", "shape": [2], "dtype": "int64""#),
    (.string, [-1], false, #""string", "shape": [-1], "dtype": "string""#),
    (.uint8, [4], false, #""array", "shape": [4]"#),
    (.int8, [4], true, #""array", "shape": [4], "quantize": { "standard": "model" }"#),
    (
      .int16, [4], true,
      #""array", "shape": [4], "dtype": "int16", "quantize": { "standard": "model" }"#
    ),
  ])
  func `a layer is drafted with the keys that its tensor needs`(
    type: DataType, shape: [Int], isQuantized: Bool, layer: String
  ) throws {
    let drawn = try Self.draft(inputs: [Self.tensor("x", type, shape, isQuantized: isQuantized)])
    #expect(drawn.inputs == [#"{ "name": "x", "type": \#(layer) }"#])
  }

  @Test func `a float layer of a quantized model states its data type`() throws {
    let drawn = try Self.draft(
      inputs: [Self.tensor("x", .uint8, [4], isQuantized: true)],
      outputs: [Self.tensor("y", .float32, [2])])
    #expect(drawn.drafter.isQuantized)
    #expect(
      drawn.outputs == [#"{ "name": "y", "type": "array", "shape": [2], "dtype": "float32" }"#])
  }

  @Test func `a mixed model with a float image isn't described as quantized`() throws {
    let drawn = try Self.draft(
      inputs: [Self.tensor("x", .float32, [1, 4, 4, 3])],
      outputs: [Self.tensor("y", .int8, [2], isQuantized: true)])
    #expect(!drawn.drafter.isQuantized)
    #expect(
      drawn.inputs == [#"{ "name": "x", "type": "image", "shape": [4, 4, 3], "format": "RGB" }"#])
    #expect(drawn.outputs == [#"{ "name": "y", "type": "array", "shape": [2], "dtype": "int8" }"#])
    #expect(
      drawn.drafter.checks.contains(
        "'y' is passed as raw int8 values, because a model.json can't describe quantization "
          + "beside a float image"))
  }

  @Test func `an unknown image size comes from the metadata or defaults to 224 x 224`() throws {
    let image = Self.tensor("x", .float32, [-1, -1, -1, 3])
    let known = TensorMetadata(content: .image(.rgb, width: 32, height: 16))
    let first = try Self.draft(inputs: [image], inputMetadata: known)
    #expect(
      first.inputs == [
        #"{ "name": "x", "type": "image", "shape": [-1, 16, 32, 3], "format": "RGB" }"#
      ])
    let second = try Self.draft(inputs: [image])
    #expect(
      second.inputs == [
        #"{ "name": "x", "type": "image", "shape": [-1, 224, 224, 3], "format": "RGB" }"#
      ])
    #expect(
      second.drafter.checks.contains(
        "shape of 'x': the model leaves the size open; 224 rows of 224 pixels are assumed"))
  }

  @Test func `an input whose metadata says features isn't an image`() throws {
    let drawn = try Self.draft(
      inputs: [Self.tensor("x", .float32, [1, 4, 4, 3])],
      inputMetadata: TensorMetadata(content: .features))
    #expect(drawn.inputs == [#"{ "name": "x", "type": "array", "shape": [1, 4, 4, 3] }"#])
  }

  @Test func `the only number of an image model may decide two classes`() throws {
    let image = Self.tensor("x", .float32, [1, 4, 4, 3])
    let score = Self.tensor("y", .float32, [1, 1])
    func mentionsDecoder(_ outputs: [TensorDescription]) throws -> Bool {
      let checks = try Self.draft(inputs: [image], outputs: outputs).drafter.checks
      return checks.contains { $0.contains(#""decode": {"type": "binary""#) }
    }
    #expect(try mentionsDecoder([score]))
    // One of several numbers can be anything, such as the number of objects.
    #expect(try !mentionsDecoder([score, Self.tensor("z", .float32, [1, 9])]))
  }

  @Test func `too few labels are written to a file but not referenced`() throws {
    let drawn = try Self.draft(
      inputs: [Self.tensor("x", .float32, [1])], outputs: [Self.tensor("y", .float32, [1, 3])],
      outputMetadata: TensorMetadata(labels: ["a", "b"]))
    #expect(drawn.outputs == [#"{ "name": "y", "type": "array", "shape": [1, 3] }"#])
    #expect(drawn.drafter.assets == [.init(name: "labels.txt", text: "a\nb\n")])
    #expect(
      drawn.drafter.checks == [
        "labels of 'y': assets/labels.txt has 2 names for 3 values; complete it and add "
          + "\"labels\": \"labels.txt\", or delete it if the values aren't classes"
      ])
  }

  @Test func `labels that the values index are listed as a check instead of a layer's labels`()
    throws
  {
    let drawn = try Self.draft(
      inputs: [], outputs: [Self.tensor("classes", .float32, [1, 2])],
      outputMetadata: TensorMetadata(valueLabels: ["a", "b"]))
    #expect(drawn.outputs == [#"{ "name": "classes", "type": "array", "shape": [1, 2] }"#])
    #expect(
      drawn.drafter.checks == [
        "labels of 'classes': its values are line indexes in assets/labels.txt, which programs "
          + "must look up"
      ])
  }

  @Test(arguments: [(nil, [2], "uint64"), (DataType.float32, [0, 2], "[0, 2]")])
  func `a tensor that no layer can describe is an error`(
    type: DataType?, shape: [Int], word: String
  ) throws {
    let error = #expect(throws: TensorIOError.self) {
      try Self.draft(inputs: [Self.tensor("x", type, shape)])
    }
    #expect(error?.code == .unsupportedModel)
    #expect(error?.message.contains(word) == true)
  }

  // MARK: - Normalization

  @Test(
    arguments: [
      ([0], [255], #"{ "standard": "[0,1]" }"#),
      ([127.5, 127.5, 127.5], [127.5], #"{ "standard": "[-1,1]" }"#),
      ([0], [2], #"{ "scale": 0.5, "bias": { "r": 0, "g": 0, "b": 0 } }"#),
      ([4, 8, -16], [4, 4, 4], #"{ "scale": 0.25, "bias": { "r": -1, "g": -2, "b": 4 } }"#),
      (
        [4, 8, -16], [4, 2, 8],
        #"{ "scale": { "r": 0.25, "g": 0.5, "b": 0.125 }, "bias": { "r": -1, "g": -4, "b": 2 } }"#
      ),
      ([0], [1], nil),
    ] as [([Float], [Float], String?)])
  func `a mean and a standard deviation become a scale and a bias`(
    mean: [Float], std: [Float], json: String?
  ) {
    let draft = NormalizationDraft(
      .init(mean: mean, std: std), for: Self.tensor("x", .float32, [1, 4, 4, 3]), name: "x")
    #expect(draft.json.map(Self.line) == json)
    #expect(draft.check == nil)
  }

  @Test(
    arguments: [
      ([0], [0], "the metadata's mean and deviation are invalid"),
      ([0, 1], [1], "the metadata's mean and deviation are invalid"),
      ([], [], "the metadata's mean and deviation are invalid"),
      ([.nan], [1], "the metadata's mean and deviation are invalid"),
    ] as [([Float], [Float], String)])
  func `an invalid normalization is left out and listed as a check`(
    mean: [Float], std: [Float], check: String
  ) {
    let draft = NormalizationDraft(
      .init(mean: mean, std: std), for: Self.tensor("x", .float32, [1, 4, 4, 3]), name: "x")
    #expect(draft.json == nil)
    #expect(draft.check?.hasPrefix("normalize of 'x': " + check) == true)
    #expect(draft.check?.hasSuffix("pixel values 0...255 are passed") == true)
  }

  @Test func `no normalization is written if the quantization undoes it`() {
    var tensor = Self.tensor("x", .uint8, [1, 4, 4, 3])
    tensor.quantization = StoredQuantization(scales: [1 / 128], zeroPoints: [128])
    let stored = TensorMetadata.Normalization(mean: [127.5], std: [127.5])
    let kept = NormalizationDraft(stored, for: tensor, name: "x")
    #expect(kept.json == nil && kept.check == nil)
    tensor.quantization = StoredQuantization(scales: [1 / 64], zeroPoints: [128])
    let changed = NormalizationDraft(stored, for: tensor, name: "x")
    #expect(changed.json == nil && changed.check != nil)
  }
}
