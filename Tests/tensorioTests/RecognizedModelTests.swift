// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import Testing

@testable import ModelTools
@testable import TensorIOLiteRT

/// Which models are recognized by the shapes of their tensors.
@Suite struct RecognizedModelTests {
  private static func signature(
    _ input: [Int], _ outputs: [[Int]], _ dataType: DataType = .float32
  ) -> SignatureDescription {
    SignatureDescription(
      key: "", inputs: [TensorDescription(name: "image", dataType: dataType, shape: input)],
      outputs: outputs.enumerated().map { index, shape in
        TensorDescription(name: "output_\(index)", dataType: .float32, shape: shape)
      })
  }

  private static func recognized(
    _ input: [Int], _ outputs: [[Int]], _ dataType: DataType = .float32
  ) -> RecognizedModel? {
    RecognizedModel(shapesOf: signature(input, outputs, dataType), nil)
  }

  private static func export(_ json: String) throws -> UltralyticsMetadata {
    try #require(UltralyticsMetadata(Array(json.utf8), named: "metadata.json"))
  }

  /// A field on one line.
  private static func line(_ json: OrderedJSON?) -> String {
    (json?.text ?? "").split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: " ")
  }

  // MARK: - Shapes

  /// Shapes of published models, and the decoder and layout that they get.
  private static let known: [(input: [Int], outputs: [[Int]], type: String)] = [
    ([1, 640, 640, 3], [[1, 84, 8400]], "yolo v8"),
    ([1, 3, 640, 640], [[1, 84, 8400]], "yolo v8"),
    ([1, 320, 320, 3], [[1, 6, 2100]], "yolo v8"),
    ([1, 640, 640, 3], [[1, 8400, 84]], "yolo v8-transposed"),
    ([1, 640, 640, 3], [[1, 25200, 85]], "yolo v5"),
    ([-1, 640, 640, 3], [[-1, 25200, 85]], "yolo v5"),
    ([1, 1280, 1280, 3], [[1, 102_000, 85]], "yolo v5"),
    ([1, 640, 640, 3], [[1, 300, 6]], "yolo end-to-end"),
    ([1, 640, 640, 3], [[1, 116, 8400], [1, 160, 160, 32]], "yolo v8 masks 1"),
    ([1, 640, 640, 3], [[1, 160, 160, 32], [1, 116, 8400]], "yolo v8 masks 0"),
    ([1, 3, 640, 640], [[1, 116, 8400], [1, 32, 160, 160]], "yolo v8 masks 1"),
    ([1, 640, 640, 3], [[1, 56, 8400]], "yolo v8"),
    ([1, 192, 192, 3], [[1, 1, 17, 3]], "movenet"),
    ([1, 256, 256, 3], [[1, 1, 17, 3]], "movenet"),
    ([1, -1, -1, 3], [[1, 6, 56]], "movenet"),
    (
      [1, 257, 257, 3], [[1, 9, 9, 17], [1, 9, 9, 34], [1, 9, 9, 32], [1, 9, 9, 32]],
      "heatmaps offsets 1"
    ),
    ([1, 353, 257, 3], [[1, 23, 17, 34], [1, 23, 17, 17]], "heatmaps offsets 0"),
    ([1, 128, 128, 3], [[1, 896, 16], [1, 896, 1]], "blazeface scores 1"),
    ([1, 128, 128, 3], [[1, 896, 1], [1, 896, 16]], "blazeface scores 0"),
    ([1, 256, 256, 3], [[1, 896, 16], [1, 896, 1]], "blazeface scores 1"),
    ([1, 192, 192, 3], [[1, 2304, 16], [1, 2304, 1]], "blazeface scores 1"),
    ([1, 192, 192, 3], [[1, 2016, 18], [1, 2016, 1]], "blazeface scores 1"),
    ([1, 224, 224, 3], [[1, 2254, 12], [1, 2254, 1]], "blazeface scores 1"),
  ]

  @Test(arguments: known.indices)
  func `a published model is recognized by its shapes`(index: Int) throws {
    let (input, outputs, type) = Self.known[index]
    let decoder = try #require(Self.recognized(input, outputs)?.decoder)
    let words =
      [decoder.type] + (decoder.layout.map { [$0] } ?? [])
      + decoder.roles.map { "\($0.key) \($0.output)" }
    #expect(words.joined(separator: " ") == type)
    #expect(decoder.roles.allSatisfy { $0.output != decoder.output })
  }

  @Test(
    arguments: [
      // Grids of other sizes, YOLOX, and lists that aren't boxes of cells.
      ([1, 640, 640, 3], [[1, 84, 8401]]), ([1, 640, 640, 3], [[1, 8400, 85]]),
      ([1, 640, 640, 3], [[1, 4, 8400]]), ([1, 640, 640, 3], [[1, 25200, 5]]),
      ([1, 640, 640, 3], [[1, 100, 6]]), ([1, 640, 640, 3], [[1, 116, 8400], [1, 160, 160, 8]]),
      ([1, 640, 640, 3], [[1, 84, 8400], [1, 84, 8400]]), ([1, 640, 640, 1], [[1, 84, 8400]]),
      // Other numbers of points, sizes and images.
      ([1, 192, 192, 3], [[1, 1, 18, 3]]), ([1, 192, 192, 1], [[1, 1, 17, 3]]),
      ([1, 100], [[1, 1, 17, 3]]), ([1, 128, 128, 3], [[1, 2304, 16], [1, 2304, 1]]),
      ([1, 128, 128, 3], [[1, 896, 16], [1, 896, 2]]), ([1, 257, 257, 3], [[1, 9, 9, 17]]),
      ([1, 256, 256, 3], [[1, 9, 9, 17], [1, 9, 9, 34]]), ([1, 224, 224, 3], [[1, 1000]]),
      ([1, 224, 224, 3], []), ([1, -1, -1, 3], [[1, -1, -1]]), ([1, 224, 224, 3], [[]]),
      ([1, 0, 0, 3], [[1, 84, 0]]), ([1, 1, 1, 3], [[1, 9, 0]]),
    ] as [([Int], [[Int]])])
  func `another model isn't recognized`(input: [Int], outputs: [[Int]]) {
    #expect(Self.recognized(input, outputs) == nil)
  }

  @Test func `values that have no limits don't overflow`() {
    for side in [Int(Int32.max), Int(Int32.min), -1, 0, 1] {
      _ = Self.recognized([1, side, side, 3], [[1, side, 85]])
      _ = Self.recognized([1, side, 65, 3], [[1, side, side, 17], [1, side, side, 34]])
      _ = Self.recognized([1, side, side, 3], [[1, 84, side], [1, side, side, side]])
      _ = Self.recognized([side, 3, side, side], [[side, side, side]])
    }
  }

  @Test func `an image of 32-bit integers gets pixel values, and an open size a usual one`() throws
  {
    let signature = Self.signature([1, -1, -1, 3], [[1, 6, 56]], .int32)
    var drafter = LayerDrafter(
      signature, recognized: RecognizedModel(shapesOf: signature, nil))
    let layer = try drafter.inputs([nil])[0]
    #expect(
      Self.line(layer)
        == #"{ "name": "image", "type": "image", "shape": [256, 256, 3], "format": "RGB", "#
        + #""resize": "tf-bilinear", "crop": { "mode": "pad", "rounding": "tensorflow" } }"#)
    let output = try drafter.outputs([nil])[0]
    #expect(Self.line(output).hasSuffix(#""decode": { "type": "movenet" } }"#))
    #expect(drafter.assumptions.count == 2)
    #expect(drafter.modelType == "image.pose")
    #expect(
      drafter.checks == [
        "shape of 'image': the model leaves the size open; 256 rows of 256 pixels are assumed",
        "decode of 'output_0': 'movenet' is assumed, because the output [1, 6, 56] is that of "
          + "MoveNet, which gets the pixel values 0...255 of the whole image with a black margin",
      ])
  }

  @Test func `bytes are passed as they are, and normalized floats are channels first`() throws {
    for (type, shape, end) in [
      (DataType.uint8, [1, 64, 96, 3], #""b": 114 }, "rounding": "ultralytics" } }"#),
      (.float32, [1, 64, 96, 3], #""normalize": { "standard": "[0,1]" } }"#),
      (.float32, [1, 3, 64, 96], #""normalize": { "standard": "[0,1]" } }"#),
    ] {
      let signature = Self.signature(shape, [[1, 6, 126]], type)
      var drafter = LayerDrafter(
        signature, recognized: RecognizedModel(shapesOf: signature, nil))
      let line = Self.line(try drafter.inputs([nil])[0])
      #expect(line.hasSuffix(end), "\(line)")
      #expect(line.contains(#""layout": "channels-first""#) == (shape[1] == 3))
      #expect(line.contains(#""crop": { "mode": "pad", "color": { "r": 114,"#))
      #expect(drafter.assumptions.isEmpty)
    }
  }

  @Test(
    arguments: [
      (192, [[1, 1, 1, 1404], [1, 1, 1, 1]], "a face"), (64, [[1, 213], [1, 15]], "an eye"),
      (224, [[1, 63], [1, 1], [1, 1], [1, 63]], "a hand"),
      (256, [[1, 195], [1, 1], [1, 256, 256, 1], [1, 64, 64, 39], [1, 117]], "a person"),
    ] as [(Int, [[Int]], String)])
  func `MediaPipe's models of landmarks get values from 0 to 1`(
    side: Int, outputs: [[Int]], part: String
  ) throws {
    let signature = Self.signature([1, side, side, 3], outputs)
    let model = try #require(RecognizedModel(shapesOf: signature, nil))
    #expect(model.decoder == nil && model.type == nil)
    #expect(model.checks.count == 2 && model.checks[0].contains(part), "\(model.checks)")
    var drafter = LayerDrafter(signature, recognized: model)
    let line = Self.line(try drafter.inputs([nil])[0])
    #expect(line.hasSuffix(#""crop": "stretch", "normalize": { "standard": "[0,1]" } }"#))
    #expect(Self.recognized([1, side + 32, side + 32, 3], outputs) == nil)
  }

  @Test(arguments: [(Float(0.10196078), true), (0.5, false)])
  func `a model of wake words hears the micro front end`(scale: Float, isKnown: Bool) throws {
    var signature = Self.signature([1, 3, 40], [[1, 1]], .int8)
    signature.inputs[0].quantization = StoredQuantization(scales: [scale], zeroPoints: [-128])
    signature.outputs[0].dataType = .uint8
    signature.outputs[0].quantization = StoredQuantization(scales: [1 / 256], zeroPoints: [0])
    let model = RecognizedModel(soundShapesOf: signature)
    #expect((model != nil) == isKnown)
    guard let model else { return }
    var drafter = LayerDrafter(signature, recognized: model)
    let line = Self.line(try drafter.inputs([nil])[0])
    #expect(
      line
        == #"{ "name": "image", "type": "audio", "shape": [1, 3, 40], "quantize": { "standard": "#
        + #""model" }, "sample_rate": 16000, "features": { "type": "micro-speech", "window_size": "#
        + #"30, "window_step": 10, "num_channels": 40, "lower_band_limit": 125, "#
        + #""upper_band_limit": 7500, "enable_pcan": true, "out_scale": 1, "out_type": "float" }, "#
        + #""stacking": 3, "step": 3, "scale": 0.0390625 }"#)
    #expect(drafter.checks.count == 1)
  }

  // MARK: - Exports

  private static let pets = #""names": {"0": "cat", "1": "dog"}"#

  @Test(
    arguments: [
      (
        #""task": "detect", "#, [[1, 6, 126]], #""layout": "v8", "iou": 0.7, "clip": true, "units""#
      ),
      (#""task": "detect", "#, [[1, 126, 6]], #""layout": "v8-transposed", "iou": 0.7, "#),
      (
        #""task": "detect", "end2end": true, "#, [[1, 126, 6]],
        #""layout": "end-to-end", "clip": true, "units""#
      ),
      (#""task": "detect", "#, [[1, 300, 6]], #""layout": "end-to-end", "clip": true, "units""#),
      (#""stride": 32, "#, [[1, 378, 7]], #""layout": "v5", "clip": true, "units""#),
      (
        #""task": "segment", "#, [[1, 16, 24, 8], [1, 14, 126]],
        #""masks": "output_0", "layout": "v8", "classes": 2, "iou": 0.7, "#
      ),
      (#""task": "obb", "#, [[1, 7, 126]], #""layout": "v8", "classes": 2, "oriented": true, "#),
      (#""task": "obb", "#, [[1, 300, 7]], #""layout": "end-to-end", "oriented": true, "#),
      (
        #""task": "pose", "kpt_shape": [17, 3], "#, [[1, 57, 126]],
        #""layout": "v8", "classes": 2, "keypoints": 17, "#
      ),
      (
        #""task": "pose", "kpt_shape": [1, 3], "kpt_names": {"0": ["tail"]}, "#, [[1, 300, 9]],
        #""layout": "end-to-end", "keypoints": ["tail"], "#
      ),
    ] as [(String, [[Int]], String)])
  func `an export gets the decoder of its task`(
    keys: String, outputs: [[Int]], fields: String
  ) throws {
    let export = try Self.export("{\(keys)\(Self.pets)}")
    let signature = Self.signature([1, 64, 96, 3], outputs)
    let model = try #require(RecognizedModel(export, signature, nil))
    let decoder = try #require(model.decoder, "\(model.checks)")
    let names = signature.outputs.map(\.name)
    let line = Self.line(decoder.json(names: names, labels: "labels.txt", anchors: nil))
    #expect(line.hasPrefix(#"{ "type": "yolo", "# + fields), "\(line)")
    #expect(line.hasSuffix(#""labels": "labels.txt" }"#))
    #expect(model.checks.isEmpty && model.reason == nil)
    #expect(decoder.labels == ["cat", "dog"])
  }

  @Test(
    arguments: [
      (#""task": "detect", "#, [[1, 7, 126]], "don't fit 2 classes and the task 'detect'"),
      (#""task": "pose", "kpt_shape": [17, 2], "#, [[1, 40, 126]], "keypoints have no scores"),
      (#""task": "depth", "#, [[1, 1, 64, 96]], "the task 'depth' isn't known"),
    ] as [(String, [[Int]], String)])
  func `an export that no decoder fits is drafted as arrays`(
    keys: String, outputs: [[Int]], check: String
  ) throws {
    let export = try Self.export("{\(keys)\(Self.pets)}")
    let model = try #require(
      RecognizedModel(export, Self.signature([1, 64, 96, 3], outputs), nil))
    #expect(model.decoder == nil)
    #expect(model.checks.count == 1 && model.checks[0].contains(check), "\(model.checks)")
    #expect(model.image?.resize == "opencv-linear")
  }

  @Test(arguments: [(64, 64, false), (64, 96, true)])
  func `a classifier crops images for a square and stretches them for another rectangle`(
    height: Int, width: Int, isStretched: Bool
  ) throws {
    let export = try Self.export("{\"task\": \"classify\", \(Self.pets)}")
    let signature = Self.signature([1, height, width, 3], [[1, 2]])
    let model = try #require(RecognizedModel(export, signature, nil))
    #expect(model.labels == ["cat", "dog"])
    guard case .string("stretch")? = model.image?.crop else {
      #expect(!isStretched && model.image?.crop.map { _ in true } == nil)
      return
    }
    #expect(isStretched)
  }

  @Test func `the largest coordinate of a centre decides the unit of boxes`() throws {
    let model = Self.recognized([1, 640, 640, 3], [[1, 84, 8400]])
    var decoder = try #require(model?.decoder)
    #expect(decoder.isInPixels == false && !decoder.unitsAreMeasured)
    for unusable in [0, -1, Float.nan] {
      decoder.setUnits(largest: unusable)
      #expect(!decoder.unitsAreMeasured)
    }
    decoder.setUnits(largest: 0.99)
    #expect(decoder.isInPixels == false && decoder.unitsAreMeasured)
    decoder.setUnits(largest: 636)
    #expect(decoder.isInPixels == true && decoder.unitsAreMeasured)
  }

  // MARK: - Detectors

  @Test func `the outputs of a detector are found by the names in its metadata`() {
    func names(_ names: [String?]) -> [String]? {
      RecognizedModel.detectionNames(names.map { TensorMetadata(name: $0) })
    }
    #expect(
      names(["score", "location", "number of detections", "category"])
        == ["scores", "boxes", "count", "classes"])
    #expect(names(["score", "location", "number of detections", "score"]) == nil)
    #expect(names(["score", "location", "number of detections", nil]) == nil)
    #expect(names(["score", "location"]) == nil)
  }

  @Test func `anchors that don't fit are reported`() throws {
    var detector = DetectorMetadata()
    detector.anchors = [[0.5, 0.5, 1, 1], [0.5, 0.5, 1, .nan]]
    detector.scale = [1, 1, 1, 1]
    let fitting = Self.signature([1, 8, 8, 3], [[1, 2, 4], [1, 2, 3]])
    let other = Self.signature([1, 8, 8, 3], [[1, 3, 4], [1, 3, 3]])
    let metadata: [TensorMetadata?] = [nil, nil]
    for (signature, last, scale) in [
      (fitting, Float.nan, Float(1)), (other, 1, 1), (fitting, 1, 0), (fitting, 1, .infinity),
    ] {
      detector.anchors[1][3] = last
      detector.scale[0] = scale
      let model = try #require(RecognizedModel(detector, signature, nil, metadata))
      #expect(model.decoder == nil)
      #expect(model.checks.first?.contains("the metadata's 2 anchors don't fit") == true)
    }
    (detector.anchors[1][3], detector.scale[0]) = (1, 1)
    let model = try #require(RecognizedModel(detector, fitting, nil, metadata))
    let line = Self.line(model.decoder?.json(names: ["a", "b"], labels: nil, anchors: "x.txt"))
    #expect(
      line == #"{ "type": "ssd", "scores": "b", "anchors": "x.txt", "scale": [1, 1, 1, 1], "#
        + #""exponential": false, "activation": "none", "suppress": "all" }"#)
  }
}
