// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import TensorIO

@Suite struct ManifestReaderTests {
  @Test(arguments: ManifestCase.all)
  func `every issue of a document is reported with its path`(_ item: ManifestCase) throws {
    let (manifest, issues) = try read(item.document())
    #expect(issues.map(\.summary) == item.issues)
    #expect((manifest != nil) == item.isAccepted)
    for issue in issues {
      #expect(
        !issue.expected.isEmpty && !issue.found.isEmpty
          && issue.suggestion.last.map(".?".contains) == true)
    }
  }

  @Test func `every field is read`() throws {
    let manifest = try read("every-field")
    #expect(manifest.name == "Every field")
    #expect(manifest.details == "Has every field that model.json can have")
    #expect(manifest.id == "tio:///models/every/hyperparameters/field/checkpoints/1")
    #expect(manifest.version == "1")
    #expect(manifest.author == "TensorIO for Swift")
    #expect(manifest.license == "Apache License 2.0")
    #expect(!manifest.isPlaceholder)
    #expect(
      manifest.model
        == ModelManifest.ModelFile(
          file: "saved_model", isQuantized: true, backend: "tensorflow", type: "any.words",
          className: "MyModel", modes: [.predict, .train, .evaluate]))
    #expect(manifest.trainingOperations == ["step", "count"])
    #expect(manifest.options.devicePosition == .front)
    #expect(manifest.options.outputFormat == "lines")

    let small = ImageShape(height: 32, width: 24, channels: 3, format: .bgr)
    let smallRGB = ImageShape(height: 32, width: 24, channels: 3, format: .rgb)
    #expect(
      manifest.inputs == [
        layer("linear", [-1, 4], .uint8, .array(.linear(scale: 255, bias: -0.5), labelsFile: nil)),
        layer("stored", [2, 3, 5, 7], .int8, .array(.model, labelsFile: nil)),
        layer("number", [], .uint8, .scalar(.zeroToOne)),
        layer("one", [1], .int64, .scalar(nil)),
        layer("text", [1], .string, .string),
        layer(
          "photo", [32, 24, 3], nil,
          .imageInput(
            small,
            ImagePreprocessing(
              normalization: PixelNormalization(
                scale: 0.004, bias: ColorValues(red: -0.485, green: -0.457, blue: -0.408))))),
        layer("raw photo", [32, 24, 3], nil, .imageInput(smallRGB, ImagePreprocessing())),
        layer(
          "planes", [-1, 3, 32, 24], nil,
          .imageInput(
            ImageShape(height: 32, width: 24, format: .rgb, layout: .channelsFirst),
            ImagePreprocessing(
              resize: .tfBilinear,
              crop: ImageCrop(
                .pad, fraction: 0.875, color: PixelColor(red: 114, green: 114, blue: 255),
                rounding: .tensorflow),
              normalization: PixelNormalization(
                scale: ColorValues(red: 0.017, green: 0.0175, blue: 0.0174),
                bias: ColorValues(red: -2.1, green: -2.04, blue: -1.8))))),
        layer(
          "gray photo", [28, 20, 1], nil,
          .imageInput(
            ImageShape(height: 28, width: 20, format: .gray),
            ImagePreprocessing(
              resize: .nearest, crop: ImageCrop(.stretch),
              normalization: PixelNormalization(scale: 0.004, bias: ColorValues(all: -0.5))))),
      ])
    #expect(
      manifest.outputs == [
        layer(
          "classes", [-1, 10], .uint8,
          .array(.linear(scale: 1 / 255, bias: 0), labelsFile: "labels.txt")),
        layer("price", [-1, 1], nil, .scalar(.model)),
        layer("bytes", [16], nil, .string),
        layer("picture", [-1, 32, 24, 3], nil, .imageOutput(smallRGB, .minusOneToOne)),
        layer(
          "other picture", [32, 24, 3], nil,
          .imageOutput(
            small,
            PixelDenormalization(
              scale: ColorValues(all: 255),
              bias: ColorValues(red: 0.485, green: 0.457, blue: 0.408)))),
        layer(
          "gray picture", [1, 32, 24], nil,
          .imageOutput(
            ImageShape(height: 32, width: 24, format: .gray, layout: .channelsFirst),
            PixelDenormalization(scale: ColorValues(all: 127.5), bias: ColorValues(all: 1)))),
        layer(
          "segmentation", [-1, 32, 24, 10], nil,
          .classMap(
            ClassMapShape(height: 32, width: 24, depth: 10), labelsFile: "labels.txt")),
      ])
    #expect(manifest.placeholders == [layer("learning_rate", [], .float32, .scalar(nil))])
  }

  @Test func `channels on the wrong side are distinguished from a wrong shape`() throws {
    func suggestion(_ shape: JSONValue, _ more: [String: JSONValue]) throws -> String? {
      var document = try JSONValue(parsing: Data(Fixtures.text("good/classifier.json").utf8))
      try document.set("/inputs/0/shape", to: shape)
      for (key, value) in more { try document.set("/inputs/0/" + key, to: value) }
      var reader = ManifestReader()
      _ = reader.read(document)
      return reader.issues.first { $0.code == .badShape }?.suggestion
    }
    let other = #"Write "layout": "channels-%@", if that is how the tensor is laid out in memory."#
    #expect(try suggestion([3, 32, 24], [:]) == String(format: other, "first"))
    #expect(try suggestion([-1, 3, 32, 24], [:]) == String(format: other, "first"))
    #expect(
      try suggestion([32, 24, 3], ["layout": "channels-first"]) == String(format: other, "last"))
    #expect(
      try suggestion([32, 24, 4], [:]) == "Write the shape of one image with three channels.")
    #expect(
      try suggestion([32, 24], ["format": "GRAY", "normalize": ["standard": "[0,1]"]])
        == "Write the shape of one image with one channel.")
  }

  @Test func `omitted values have defaults`() throws {
    let manifest = try read("vectors")
    #expect(manifest.model.backend == nil)
    #expect(manifest.model.type == nil)
    #expect(manifest.model.className == nil)
    #expect(manifest.model.modes == .predict)
    #expect(manifest.placeholders.isEmpty)
    #expect(manifest.trainingOperations.isEmpty)
    #expect(manifest.inputs[0] == layer("temperatures", [4], nil, .array(nil, labelsFile: nil)))
    #expect(try read("classifier").options == ModelOptions())
    #expect(try read("placeholder").isPlaceholder)
  }

  @Test func `options with any name are kept`() throws {
    let options = try read("vectors").options
    #expect(options.devicePosition == .back)
    #expect(options.outputFormat == "image.classification.nodecay")
    #expect(options.values["rows"] == .array([.number(1), .null, .object(["kept": .bool(true)])]))
    #expect(options.values.count == 3)
  }

  @Test(arguments: [
    ("[0,1]", Quantization.zeroToOne, Quantization.toZeroToOne),
    ("[-1,1]", .minusOneToOne, .toMinusOneToOne), ("model", .model, .model),
  ])
  func `a standard normalization is inverted for outputs`(
    _ word: String, _ quantize: Quantization, _ dequantize: Quantization
  ) throws {
    var document = try JSONValue(parsing: Data(Fixtures.text("good/quantized.json").utf8))
    let standard = JSONValue.object(["standard": .string(word)])
    try document.set("/inputs/0/quantize", to: standard)
    try document.set("/outputs/0/dequantize", to: standard)
    let manifest = try #require(read(document).manifest)
    #expect(manifest.inputs[0].kind == .array(quantize, labelsFile: nil))
    #expect(manifest.outputs[0].kind == .array(dequantize, labelsFile: nil))
  }

  @Test func `a standard takes precedence over scale and bias`() throws {
    var document = try JSONValue(parsing: Data(Fixtures.text("good/quantized.json").utf8))
    try document.set("/inputs/0/quantize/scale", to: .number(3))
    #expect(read(document).manifest == nil)
    try document.set("/inputs/0/quantize/bias", to: .number(3))
    let manifest = try #require(read(document).manifest)
    #expect(manifest.inputs[0].kind == .array(.zeroToOne, labelsFile: nil))
  }

  @Test func `quantize has no effect if the model isn't quantized`() throws {
    var document = try JSONValue(parsing: Data(Fixtures.text("good/quantized.json").utf8))
    try document.set("/model/quantized", to: .bool(false))
    let manifest = try #require(read(document).manifest)
    #expect(manifest.inputs.allSatisfy { $0.kind == .array(nil, labelsFile: nil) })
    #expect(
      read(document).issues.map(\.summary) == [
        "warning ignored-field inputs[0].quantize", "warning ignored-field inputs[1].quantize",
        "warning ignored-field outputs[0].dequantize",
        "warning ignored-field outputs[1].dequantize",
      ])
  }

  @Test func `every model.json in the original documents is read, if they are available`() throws {
    guard FileManager.default.fileExists(atPath: Fixtures.seeds.path()) else { return }
    let documents = try SeedDocuments.manifests()
    #expect(documents.count == 7)
    for (text, file) in documents {
      let (manifest, issues) = try read(JSONValue(parsing: Data(text.utf8)))
      #expect(manifest != nil, "\(file)")
      #expect(issues.isEmpty, "\(file)")
    }
  }

  private func read(_ name: String) throws -> ModelManifest {
    let text = try Fixtures.text("good/\(name).json")
    return try #require(read(JSONValue(parsing: Data(text.utf8))).manifest)
  }

  private func read(_ document: JSONValue) -> (manifest: ModelManifest?, issues: [BundleIssue]) {
    var reader = ManifestReader()
    let manifest = reader.read(document)
    return (manifest, reader.issues)
  }

  private func layer(
    _ name: String, _ shape: [Int], _ dataType: DataType?, _ kind: ModelManifest.Layer.Kind
  ) -> ModelManifest.Layer {
    ModelManifest.Layer(name: name, shape: shape, dataType: dataType, kind: kind)
  }
}
