// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelTools
import Testing

@testable import TensorIO
@testable import TensorIOLiteRT

@Suite struct BundleMetadataTests {
  private static func manifest(isPlaceholder: Bool = false) -> ModelManifest {
    ModelManifest(
      name: "Cats", details: "Finds cats.", id: "cats", version: "2", author: "A", license: "MIT",
      model: .init(file: "model.tflite", isQuantized: false, modes: .predict), inputs: [],
      outputs: [], placeholders: [], isPlaceholder: isPlaceholder, options: ModelOptions(),
      trainingOperations: [])
  }

  private static func describe(
    _ inputs: [TensorSpec] = [], _ outputs: [TensorSpec] = []
  ) throws -> (metadata: ModelMetadata, notes: [String]) {
    let described = try BundleMetadata(
      manifest(), ModelSignature(inputs: inputs, outputs: outputs))
    return (described.metadata, described.notes)
  }

  private static func image(
    _ format: ImageShape.Format = .rgb, layout: ImageShape.Layout = .channelsLast,
    normalization: PixelNormalization? = nil, type: DataType = .float32,
    crop: ImageCrop = ImageCrop(.stretch), resize: ResizeMethod = .pillowBilinear,
    stored: StoredQuantization? = nil
  ) -> TensorSpec {
    let shape = ImageShape(height: 4, width: 6, format: format, layout: layout)
    return TensorSpec(
      name: "image", shape: shape.axes, dataType: type,
      kind: .imageInput(
        shape, ImagePreprocessing(resize: resize, crop: crop, normalization: normalization)),
      storedQuantization: stored)
  }

  private static func vector(
    _ name: String, _ shape: [Int], _ type: DataType = .float32, labels: [String]? = nil,
    _ quantization: Quantization? = nil, stored: StoredQuantization? = nil,
    coding: LayerCoding? = nil
  ) -> TensorSpec {
    TensorSpec(
      name: name, shape: shape, dataType: type,
      kind: .vector(quantization, labels: labels.map { Labels($0) }), storedQuantization: stored,
      coding: coding)
  }

  @Test func `a bundle's texts become the model's`() throws {
    let metadata = try Self.describe().metadata
    let expected = ModelMetadata(
      name: "Cats", description: "Finds cats.", version: "2", author: "A", license: "MIT")
    #expect(metadata == expected)
  }

  @Test func `texts that are empty or to be filled in aren't written`() throws {
    var manifest = Self.manifest()
    (manifest.details, manifest.author) = ("(fill in: what the model does)", "")
    let metadata = try BundleMetadata(manifest, ModelSignature(inputs: [], outputs: [])).metadata
    #expect(metadata == ModelMetadata(name: "Cats", version: "2", license: "MIT"))
  }

  @Test func `a bundle without a model is an error`() {
    let error = #expect(throws: TensorIOError.self) {
      try BundleMetadata(
        Self.manifest(isPlaceholder: true), ModelSignature(inputs: [], outputs: []))
    }
    #expect(error?.message.contains("has no model") == true)
  }

  @Test(
    arguments: [
      (PixelNormalization.zeroToOne, ImageShape.Format.rgb, [0], [255]),
      (.minusOneToOne, .rgb, [127.5], [127.5]), (.zeroToOne, .gray, [0], [255]),
      (
        PixelNormalization(
          scale: ColorValues(red: 0.5, green: 0.25, blue: 2),
          bias: ColorValues(red: 1, green: 2, blue: -3)), .rgb, [-2, -8, 1.5], [2, 4, 0.5]
      ),
      (
        PixelNormalization(scale: 0.5, bias: ColorValues(red: 1, green: 2, blue: -3)), .bgr,
        [6, -4, -2], [2, 2, 2]
      ),
    ] as [(PixelNormalization, ImageShape.Format, [Float], [Float])])
  func `value * scale + bias becomes (value - mean) / std`(
    _ normalization: PixelNormalization, _ format: ImageShape.Format, _ mean: [Float],
    _ std: [Float]
  ) throws {
    let tensor = try #require(
      try Self.describe([Self.image(format, normalization: normalization)]).metadata.inputs.first)
    #expect(tensor.normalization == .init(mean: mean, std: std))
    for (channel, mean) in mean.enumerated() {
      let scale = normalization.scale.ordered(format)[channel]
      let bias = normalization.bias.ordered(format)[channel]
      for value in [Float(0), 1, 100, 255] {
        let difference = (value - mean) / std[channel] - (value * scale + bias)
        #expect(difference.magnitude <= 1e-4)
      }
      #expect(abs(tensor.minimum[channel] - bias) < 1e-5)
      #expect(abs(tensor.maximum[channel] - (255 * scale + bias)) < 1e-4)
    }
  }

  @Test func `a float image without a normalization takes pixel values`() throws {
    let (metadata, notes) = try Self.describe([Self.image()])
    #expect(metadata.inputs.first?.normalization == .init(mean: 0, std: 1))
    #expect(metadata.inputs.first?.content == .image(.rgb, width: 6, height: 4))
    #expect(metadata.inputs.first?.maximum == [255])
    #expect(notes.count == 1 && notes[0].contains("'tensorio init' assumes \"center\""))
  }

  @Test func `an image of bytes has no normalization`() throws {
    let tensor = try Self.describe([Self.image(type: .uint8)]).metadata.inputs.first
    #expect(tensor?.normalization == nil)
    #expect(tensor?.minimum == [0] && tensor?.maximum == [255])
    #expect(try Self.describe([Self.image(type: .int8)]).metadata.inputs[0].normalization == nil)
  }

  @Test func `an int8 image gets each byte minus 128`() throws {
    let stored = StoredQuantization(scales: [1 / 255], zeroPoints: [-128])
    let (metadata, notes) = try Self.describe([Self.image(type: .int8, stored: stored)])
    #expect(metadata.inputs[0].normalization == .init(mean: 0, std: 255))
    #expect(metadata.inputs[0].minimum == [-128] && metadata.inputs[0].maximum == [127])
    #expect(notes.contains { $0.hasSuffix("but the model takes int8") })
  }

  @Test(
    arguments: [
      (image(.bgr), "no BGR"), (image(layout: .channelsFirst), "no layout"),
      (image(), "assumes \"center\""), (image(crop: ImageCrop(.center)), "stretch the whole image"),
      (image(resize: .openCVLinear), "no \"resize\""),
      (image(crop: ImageCrop(.stretch, fraction: 0.5)), "no crop"),
      (image(normalization: PixelNormalization(scale: 0)), "a scale of 0"),
      (TensorSpec(name: "text", shape: [1], dataType: .string, kind: .bytes), "the text means"),
      (
        vector(
          "sound", [400],
          coding: LayerCoding(type: "audio", options: ["sample_rate": .number(8000)])),
        "'audio'"
      ),
      (vector("x", [2], .uint8, .zeroToOne), "no quantization"),
    ])
  func `what metadata can't express is noted`(_ input: TensorSpec, _ text: String) throws {
    let notes = try Self.describe([input]).notes
    #expect(notes.allSatisfy { $0.hasPrefix("'\(input.name)': the metadata ") })
    #expect(notes.count { $0.contains(text) } == 1, "\(notes)")
  }

  @Test func `a quantization that equals the model's own needs no note`() throws {
    let output = StoredQuantization(scales: [1 / 255], zeroPoints: [0])
    #expect(
      try Self.describe([], [Self.vector("y", [2], .uint8, .toZeroToOne, stored: output)])
        .notes.isEmpty)
    let input = StoredQuantization(scales: [2 / 255], zeroPoints: [128])
    #expect(
      try Self.describe([Self.vector("x", [2], .uint8, .minusOneToOne, stored: input)])
        .notes.isEmpty)
    #expect(
      try Self.describe([Self.vector("x", [2], .uint8, .zeroToOne, stored: input)]).notes.count == 1
    )
  }

  @Test func `labels beyond the output's values are left out`() throws {
    let output = Self.vector("y", [-1, 2], labels: ["a", "b", "c"])
    #expect(try Self.describe([], [output]).metadata.outputs.first?.labels == ["a", "b"])
  }

  @Test func `detections have the names that the Task Library looks for`() throws {
    let coding = LayerCoding(
      type: "tflite-postprocess",
      options: [
        "classes": .string("c"), "scores": .string("s"), "count": .string("n"),
        "threshold": .number(0.5), "top": .number(5),
      ], labels: Labels(["cat", "dog"]))
    let outputs = [
      Self.vector("n", [1]), Self.vector("s", [10]), Self.vector("c", [10]),
      Self.vector("b", [10, 4], coding: coding),
    ]
    let (metadata, notes) = try Self.describe([], outputs)
    let names = ["number of detections", "score", "category", "location"]
    #expect(metadata.outputs.map(\.name) == names)
    #expect(metadata.outputs[3].content == .boundingBoxes)
    #expect(metadata.outputs[2].valueLabels == ["cat", "dog"])
    #expect(metadata.outputs[1].scoreThreshold == 0.5)
    #expect(notes == ["'b': the metadata has no \"top\" of the decoder 'tflite-postprocess'"])
  }

  @Test func `anchors stay if the bundle has them from the model's metadata`() throws {
    let coding = LayerCoding(
      type: "ssd", options: ["scores": .string("s"), "threshold": .number(0.25)],
      labels: Labels(["cat"]))
    let signature = ModelSignature(
      inputs: [],
      outputs: [Self.vector("s", [4, 1]), Self.vector("b", [4, 4], coding: coding)])
    var old = ModelMetadata(outputs: [TensorMetadata(isCalibrated: true)])
    old.detector = DetectorMetadata()
    let described = try BundleMetadata(Self.manifest(), signature, replacing: old)
    #expect(described.metadata.detector == old.detector)
    #expect(described.metadata.outputs.map(\.name) == ["score", "location"])
    #expect(described.metadata.outputs[0].labels == ["cat"])
    #expect(described.metadata.outputs[0].scoreThreshold == 0.25)
    #expect(
      described.notes == [
        "'b': the metadata keeps the anchors and the decoding that the model's own metadata has",
        "the calibration of scores in the model's own metadata is removed",
      ])
    let other = try BundleMetadata(Self.manifest(), signature)
    #expect(other.metadata.detector == nil && other.notes.count == 1)
  }

  @Test func `scores of several labels have a threshold`() throws {
    let coding = LayerCoding(
      type: "multi-label", options: ["activation": .string("none")], labels: Labels(["a", "b"]))
    let (metadata, notes) = try Self.describe([], [Self.vector("y", [2], coding: coding)])
    #expect(metadata.outputs[0].labels == ["a", "b"] && metadata.outputs[0].scoreThreshold == 0.5)
    #expect(notes.isEmpty)
    let other = LayerCoding(type: "movenet", options: [:])
    #expect(try Self.describe([], [Self.vector("y", [17, 3], coding: other)]).notes.count == 1)
  }

  @Test(arguments: [1, 3])
  func `a class map has a label for each class`(_ depth: Int) throws {
    let shape = ClassMapShape(height: 4, width: 6, depth: depth)
    let labels = ["sky", "sea", "land"]
    let map = TensorSpec(
      name: "map", shape: shape.axes, kind: .classMap(shape, labels: Labels(labels)))
    let tensor = try #require(try Self.describe([], [map]).metadata.outputs.first)
    #expect(tensor.labels == labels && tensor.valueLabels == nil)
    #expect(tensor.content == .image(.grayscale, width: 6, height: 4))
  }
}
