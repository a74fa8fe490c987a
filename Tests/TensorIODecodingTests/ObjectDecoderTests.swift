// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import Testing

@testable import TensorIODecoding

/// The positions were computed by hand from the definitions of the layouts and crops.
@Suite struct ObjectDecoderTests {
  private static let photo = PixelBuffer(
    width: 128, height: 64, format: .rgb, bytes: Array(repeating: 90, count: 128 * 64 * 3))

  /// Two boxes of two classes in the layout v8, in pixels of the model's image.
  private static let boxes = FixedOutputs(outputs: [
    (
      "objects", [1, 6, 2],
      [
        16, 48,  // x of the centres
        32, 16,  // y
        8, 16,  // widths
        16, 8,  // heights
        0.9, 0.1,  // scores of the first class
        0.2, 0.6,  // scores of the second class
      ]
    )
  ])

  @Test(
    arguments: [
      (
        "stretch",
        [Box(x: 24, y: 24, width: 16, height: 16), Box(x: 80, y: 12, width: 32, height: 8)]
      ),
      (
        "center",
        [Box(x: 44, y: 24, width: 8, height: 16), Box(x: 72, y: 12, width: 16, height: 8)]
      ),
      (
        "pad", [Box(x: 24, y: 16, width: 16, height: 32), Box(x: 80, y: -8, width: 32, height: 16)]
      ),
    ])
  func `boxes are in pixels of the photo`(crop: String, expected: [Box]) throws {
    let model = try Self.boxes.model(
      decode: #"{"type": "yolo", "layout": "v8", "labels": "labels.txt"}"#, crop: crop,
      assets: ["labels.txt": "cat\ndog\n"])
    let objects = try model.run(Self.photo).objects("objects")
    #expect(objects.map(\.label) == ["cat", "dog"])
    #expect(objects.map(\.score) == [0.9, 0.6])
    #expect(objects.map(\.box) == expected)
  }

  @Test func `clipped boxes and keypoints end at the edge of the photo`() throws {
    // The photo fills the rows 16 to 48 of the model's image. The second box is in its padding.
    let backend = FixedOutputs(outputs: [
      (
        "objects", [1, 11, 2],
        [32, 4, 20, 4, 80, 4, 16, 4, 0.9, 0.6] + [
          2, -1, 60, 80, 0.5, 0.5, 70, 80, 20, 60, 0.5, 0.5,
        ]
      )
    ])
    let decode = #"{"type": "yolo", "layout": "v8", "classes": 1, "keypoints": 2, "clip": true}"#
    let objects = try backend.model(decode: decode, crop: "pad").run(Self.photo).objects()
    #expect(
      objects.map(\.box) == [
        Box(x: 0, y: 0, width: 128, height: 24), Box(x: 4, y: 0, width: 8, height: 0),
      ])
    let points = objects.flatMap { $0.keypoints ?? [] }
    #expect(points.map(\.x) == [4, 128, 0, 128])
    #expect(points.map(\.y) == [64, 8, 64, 64])
  }

  @Test func `clipping leaves turned boxes as they are`() throws {
    let backend = FixedOutputs(outputs: [("objects", [1, 6, 1], [2, 20, 20, 10, 0.9, 0.5])])
    let boxes = try ["true", "false"].map { clip in
      try backend.model(
        decode: #"{"type": "yolo", "layout": "v8", "oriented": true, "clip": \#(clip)}"#
      ).run(Self.photo).objects().map(\.box)
    }
    #expect(boxes[0] == boxes[1] && (boxes[0].first?.x ?? 0) < 0)
  }

  @Test func `a photo that is stored on its side has boxes in upright pixels`() throws {
    let turned = PixelBuffer(
      width: 64, height: 128, format: .rgb, orientation: .right,
      bytes: Array(repeating: 90, count: 128 * 64 * 3))
    let model = try Self.boxes.model(decode: #"{"type": "yolo", "layout": "v8"}"#)
    let objects = try model.run(turned).objects()
    #expect(objects.map(\.box.x) == [24, 80])
    #expect(objects.map(\.label) == ["0", "1"])
  }

  @Test func `a tensor in place of the photo has boxes in pixels of the layer`() throws {
    let model = try Self.boxes.model(decode: #"{"type": "yolo", "layout": "v8"}"#)
    let tensor = try Tensor([Float](repeating: 0, count: 64 * 64 * 3), shape: [64, 64, 3])
    #expect(try model.run(tensor).objects().first?.box == Box(x: 12, y: 24, width: 8, height: 16))
  }

  @Test func `the items of a batch have their own photos`() throws {
    let model = try Self.boxes.model(decode: #"{"type": "yolo", "layout": "v8"}"#)
    let small = PixelBuffer(
      width: 64, height: 64, format: .rgb, bytes: Array(repeating: 1, count: 64 * 64 * 3))
    let results = try model.run(batch: [ModelInputs(Self.photo), ModelInputs(small)])
    #expect(try results.map { try $0.objects()[0].box.x } == [24, 12])
  }

  @Test func `the outputs of roles are part of the decoded value`() throws {
    let backend = FixedOutputs(outputs: [
      ("boxes", [1, 2, 4], [0.25, 0.5, 0.75, 1, 0, 0, 0.5, 0.25]), ("classes", [1, 2], [1, 0]),
      ("scores", [1, 2], [0.75, 0.5]), ("count", [1], [2]), ("extra", [2], [7, 8]),
    ])
    let model = try backend.model(
      decode: """
        {"type": "tflite-postprocess", "classes": "classes", "scores": "scores", "count": "count"}
        """)
    let outputs = try model.run(Self.photo)
    let values = try outputs.values()
    #expect(values.map(\.name) == ["boxes", "extra"])
    let objects = try outputs.objects("boxes")
    #expect(
      objects.map(\.box) == [
        Box(x: 64, y: 16, width: 64, height: 32), Box(x: 0, y: 0, width: 32, height: 32),
      ])
    #expect(objects.map(\.classIndex) == [1, 0])
    let raw: [Float] = try outputs["scores"]
    #expect(raw == [0.75, 0.5])
  }

  @Test func `a face has MediaPipe's keypoints`() throws {
    // One anchor in the middle; the box is 32 pixels wide, the points are 4 pixels apart.
    let points = (0..<6).flatMap { [Float($0 * 4), Float($0 * -4)] }
    let backend = FixedOutputs(outputs: [
      ("faces", [1, 1, 16], [0, 0, 32, 16] + points), ("scores", [1, 1, 1], [3]),
    ])
    let model = try backend.model(
      decode: """
        {"type": "blazeface", "scores": "scores",
         "anchors": {"size": [64, 64], "strides": [64], "interpolated_scale_aspect_ratio": 0,
                     "fixed_anchor_size": true}}
        """)
    let face = try #require(try model.run(Self.photo).objects().first)
    #expect(face.label == "face")
    #expect(abs(face.score - 0.95257413) < 1e-6)
    #expect(face.box == Box(x: 32, y: 24, width: 64, height: 16))
    #expect(
      face.keypoints?.map(\.name) == [
        "right eye", "left eye", "nose", "mouth", "right ear", "left ear",
      ])
    #expect(face.keypoints?[1] == Keypoint(name: "left eye", x: 72, y: 28))
  }

  @Test func `a mask covers the pixels of the photo in its box`() throws {
    // The prototype is positive in the left half of the image.
    let row: [Float] = [1, 1, -1, -1]
    let backend = FixedOutputs(outputs: [
      ("objects", [1, 6, 1], [32, 32, 32, 32, 0.9, 2]),
      ("prototypes", [1, 4, 4, 1], row + row + row + row),
    ])
    let model = try backend.model(
      decode: #"{"type": "yolo", "layout": "v8", "masks": "prototypes", "classes": 1}"#)
    let object = try #require(try model.run(Self.photo).objects().first)
    let mask = try #require(object.mask)
    #expect((mask.x, mask.y) == (32, 16))
    #expect((mask.width, mask.height) == (64, 32))
    // The interpolated values change their sign in the middle.
    #expect(mask.area == 32 * 32)
    #expect(mask.runs.prefix(3) == [0, 32, 32])
  }

  @Test(arguments: [
    (#"{"type": "yolo", "layout": "v5"}"#, "values each"),
    (#"{"type": "yolo", "layout": "v8", "labels": "labels.txt"}"#, "Its labels have 1 name, but"),
    (#"{"type": "yolo", "layout": "v8", "keypoints": 17}"#, "3 x 17"),
  ])
  func `a decoder that doesn't fit names what was expected`(decode: String, text: String) throws {
    let model = try Self.boxes.model(decode: decode, assets: ["labels.txt": "cat\n"])
    let error = #expect(throws: TensorIOError.self) {
      try model.loadSignature().checkDecoders()
    }
    #expect(error?.code == .invalidBundle)
    #expect(error?.message.contains(text) == true)
    #expect(error?.issues.first?.code == .decoderMismatch)
    #expect(error?.issues.first?.path == "outputs[0].decode")
  }

  @Test func `a missing role and a missing file are found with the bundle`() throws {
    let error = #expect(throws: TensorIOError.self) {
      try Self.boxes.model(decode: #"{"type": "ssd", "scores": "score", "anchors": "a.txt"}"#)
    }
    #expect(error?.issues.map(\.code) == [.unknownTensor, .missingFile])
  }

  @Test func `an output without a decoder says so`() throws {
    let model = try Self.boxes.model(decode: #"{"type": "yolo", "layout": "v8"}"#)
    let outputs = try model.run(Self.photo)
    let error = #expect(throws: TensorIOError.self) { try outputs.decoded("boxes") }
    #expect(error?.code == .unknownOutput)
  }
}
