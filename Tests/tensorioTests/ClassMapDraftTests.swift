// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import Testing

@testable import ModelTools
@testable import TensorIOLiteRT

/// Which outputs `tensorio init` describes as class maps.
@Suite struct ClassMapDraftTests {
  private static let stored = StoredQuantization(scales: [0.5], zeroPoints: [3])

  private static func tensor(
    _ dataType: DataType, _ shape: [Int], isQuantized: Bool = false
  ) -> TensorDescription {
    TensorDescription(
      name: "map", dataType: dataType, shape: shape, quantization: isQuantized ? stored : nil)
  }

  private static func metadata(
    labels: [String]? = nil, valueLabels: [String]? = nil
  ) -> TensorMetadata {
    TensorMetadata(labels: labels, valueLabels: valueLabels)
  }

  /// The output's layer on one line, its checks, and the assets.
  private static func draft(
    _ output: TensorDescription, _ metadata: TensorMetadata? = nil,
    input: TensorDescription = TensorDescription(
      name: "photo", dataType: .float32, shape: [1, 8, 6, 3])
  ) throws -> (layer: String, checks: [String], assets: [BundleDraft.Asset]) {
    var drafter = LayerDrafter(SignatureDescription(key: "", inputs: [input], outputs: [output]))
    _ = try drafter.inputs([nil])
    let layer = try drafter.outputs([metadata])[0]
    let line = layer.text.split(separator: "\n").map { $0.drop { $0 == " " } }
    return (
      line.joined(separator: " "), drafter.checks.filter { $0.contains("'map'") }, drafter.assets
    )
  }

  @Test func `an output with a score for each label at every pixel is a class map`() throws {
    let labels = ["sky", "sea", "land", "cat"]
    for (shape, batch) in [([1, 4, 3, 4], ""), ([-1, 4, 3, 4], "-1, ")] {
      let draft = try Self.draft(Self.tensor(.float32, shape), Self.metadata(labels: labels))
      #expect(
        draft.layer
          == #"{ "name": "map", "type": "image", "shape": [\#(batch)4, 3, 4], "#
          + #""format": "CLASSES", "labels": "labels.txt" }"#)
      #expect(draft.checks.isEmpty)
      #expect(
        draft.assets == [BundleDraft.Asset(name: "labels.txt", text: "sky\nsea\nland\ncat\n")])
    }
  }

  @Test(arguments: [[1, 8, 6], [1, 8, 6, 1]])
  func `an output with one integer for each pixel of the image is a class map`(shape: [Int]) throws
  {
    for type in [DataType.int64, .int32, .uint16] {
      let draft = try Self.draft(Self.tensor(type, shape))
      #expect(
        draft.layer
          == #"{ "name": "map", "type": "image", "shape": [8, 6, 1], "format": "CLASSES" }"#)
      #expect(
        draft.checks == [
          "type of 'map': its whole numbers are taken as the classes of the image's pixels; if "
            + "they aren't, change the type to \"array\"",
          "labels of 'map': the model has none; put the names of its classes into "
            + "assets/labels.txt and add \"labels\": \"labels.txt\"",
        ])
    }
    let named = try Self.draft(Self.tensor(.uint8, shape), Self.metadata(valueLabels: ["a", "b"]))
    #expect(named.layer.hasSuffix(#""format": "CLASSES", "labels": "labels.txt" }"#))
    #expect(named.checks.count == 1)
  }

  @Test func `an output that may not be a class map stays an array`() throws {
    let four = Self.metadata(labels: ["a", "b", "c", "d"])
    let video = TensorDescription(name: "x", dataType: .float32, shape: [1, 8, 6])
    for (tensor, metadata, input) in [
      // Scores without labels, or with labels for something else.
      (Self.tensor(.float32, [1, 4, 3, 4]), nil, nil),
      (Self.tensor(.float32, [1, 4, 3, 5]), four, nil),
      // A size that isn't the image's, bytes without value labels, and quantized integers.
      (Self.tensor(.int64, [1, 4, 3]), nil, nil),
      (Self.tensor(.uint8, [1, 8, 6]), nil, nil),
      (Self.tensor(.int32, [1, 8, 6], isQuantized: true), nil, nil),
      (Self.tensor(.float32, [1, 8, 6]), nil, nil),
      (Self.tensor(.bool, [1, 8, 6]), nil, nil),
      // Lists, several maps, an unknown size, and models without an image input.
      (Self.tensor(.int64, [1, 8]), nil, nil),
      (Self.tensor(.int64, [2, 8, 6]), nil, nil),
      (Self.tensor(.int64, [1, -1, 6]), nil, nil),
      (Self.tensor(.int64, [1, 8, 6]), nil, video),
      (Self.tensor(.float32, [1, 4, 3, 4]), four, video),
    ] as [(TensorDescription, TensorMetadata?, TensorDescription?)] {
      let draft =
        try input.map { try Self.draft(tensor, metadata, input: $0) }
        ?? Self.draft(tensor, metadata)
      #expect(
        draft.layer.contains(#""type": "array""#),
        "\(tensor.dataType?.rawValue ?? "") \(tensor.shape)")
    }
  }
}
