// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOLiteRT

extension RecognizedModel {
  /// Recognizes a model by the shapes of its tensors; nil if they are those of no known model.
  init?(shapesOf signature: SignatureDescription, _ input: TensorMetadata?) {
    guard
      let model = Self.moveNet(signature, input) ?? Self.poseNet(signature, input)
        ?? Self.blazeFace(signature, input) ?? Self.landmarks(signature, input)
        ?? Self.yolo(signature, input)
    else { return nil }
    self = model
  }

  private static func shapes(_ signature: SignatureDescription) -> String {
    signature.outputs.map { "\($0.shape)" }.joined(separator: ", ")
  }

  // MARK: - Poses

  private static func moveNet(
    _ signature: SignatureDescription, _ input: TensorMetadata?
  ) -> RecognizedModel? {
    let shape = signature.outputs.first?.shape
    let isSingle = shape == [1, 1, 17, 3]
    guard signature.outputs.count == 1, isSingle || shape == [1, 6, 56],
      var image = ImageForm(signature, input, side: isSingle ? 192 : 256), !image.isChannelsFirst
    else { return nil }
    image.crop = ImageForm.padLikeTensorFlow
    image.resize = "tf-bilinear"
    image.normalization = ImageForm.pixelValues
    return RecognizedModel(
      image: image, decoder: DecoderDraft(type: "movenet", output: 0), type: "image.pose",
      reason: "the output \(shapes(signature)) is that of MoveNet, which gets the pixel values "
        + "0...255 of the whole image with a black margin")
  }

  private static func poseNet(
    _ signature: SignatureDescription, _ input: TensorMetadata?
  ) -> RecognizedModel? {
    func map(_ depth: Int) -> Int? {
      let found = signature.outputs.indices.filter {
        let shape = signature.outputs[$0].shape
        return shape.count == 4 && shape[0] == 1 && shape[3] == depth
      }
      return found.count == 1 ? found[0] : nil
    }
    guard let heat = map(17), let offsets = map(34), var image = ImageForm(signature, input),
      !image.isChannelsFirst
    else { return nil }
    let cells = (signature.outputs[heat].shape[2], signature.outputs[heat].shape[1])
    guard signature.outputs[offsets].shape.dropLast() == signature.outputs[heat].shape.dropLast(),
      cells.0 > 1, cells.1 > 1, (image.size.width - 1) % (cells.0 - 1) == 0
    else { return nil }
    let stride = (image.size.width - 1) / (cells.0 - 1)
    guard stride > 0, stride * (cells.1 - 1) == image.size.height - 1 else { return nil }
    image.crop = .string("pad")
    image.normalization = ImageForm.minusOneToOne
    var decoder = DecoderDraft(type: "heatmaps", output: heat, roles: [("offsets", offsets)])
    decoder.options = [
      ("refine", .string("offsets")), ("stride", .integer(stride)),
      ("activation", .string("sigmoid")), ("keypoints", .integer(17)),
    ]
    return RecognizedModel(
      image: image, decoder: decoder, type: "image.pose",
      reason: "the outputs \(shapes(signature)) are those of PoseNet, which gets the whole image "
        + "with a black margin, normalized to -1...1")
  }

  // MARK: - MediaPipe

  /// A detector of MediaPipe with its own anchors, as the graphs of MediaPipe configure it.
  fileprivate struct Blaze {
    var name: String
    var label: String
    var points: Int
    var side: Int
    var boxes: Int
    var strides: [Int]
    var leastScale: Float = 0.1484375
    var interpolates = true
    var threshold: Float = 0.5
    var normalization = ImageForm.minusOneToOne
  }

  fileprivate static let blazes: [Blaze] = [
    Blaze(
      name: "BlazeFace (short range)", label: "face", points: 6, side: 128, boxes: 896,
      strides: [8, 16, 16, 16]),
    Blaze(
      name: "BlazeFace (back camera)", label: "face", points: 6, side: 256, boxes: 896,
      strides: [16, 32, 32, 32], leastScale: 0.15625, threshold: 0.65),
    Blaze(
      name: "BlazeFace (full range)", label: "face", points: 6, side: 192, boxes: 2304,
      strides: [4], interpolates: false, threshold: 0.6),
    Blaze(
      name: "BlazePalm", label: "palm", points: 7, side: 192, boxes: 2016,
      strides: [8, 16, 16, 16], normalization: ImageForm.zeroToOne),
    Blaze(
      name: "the detector of BlazePose", label: "person", points: 4, side: 224, boxes: 2254,
      strides: [8, 16, 32, 32, 32], threshold: 0.2),
  ]

  private static func blazeFace(
    _ signature: SignatureDescription, _ input: TensorMetadata?
  ) -> RecognizedModel? {
    guard signature.outputs.count == 2, var image = ImageForm(signature, input),
      !image.isChannelsFirst,
      let blaze = blazes.first(where: { image.size == ($0.side, $0.side) && $0.fits(signature) })
    else { return nil }
    image.crop = .string("pad")
    // MediaPipe samples pixels by their corners.
    image.resize = "tf1-bilinear"
    image.normalization = blaze.normalization
    let boxes = signature.outputs[0].shape.last == 1 ? 1 : 0
    var decoder = DecoderDraft(type: "blazeface", output: boxes, roles: [("scores", 1 - boxes)])
    decoder.options = [("anchors", blaze.anchors), ("threshold", .float(blaze.threshold))]
    if blaze.points != 6 { decoder.options.append(("keypoints", .integer(blaze.points))) }
    decoder.labels = [blaze.label]
    let range = blaze.normalization == ImageForm.zeroToOne ? "0...1" : "-1...1"
    return RecognizedModel(
      image: image, decoder: decoder, type: "image.detection",
      reason: "the outputs \(shapes(signature)) are those of \(blaze.name), which gets the whole "
        + "image with a black margin, normalized to \(range)")
  }

  // MARK: - YOLO

  private static func yolo(
    _ signature: SignatureDescription, _ input: TensorMetadata?
  ) -> RecognizedModel? {
    guard var image = ImageForm(signature, input, side: 640) else { return nil }
    image.crop = ImageForm.letterbox
    image.resize = "opencv-linear"
    image.normalization = ImageForm.zeroToOne
    var model = RecognizedModel(image: image, type: "image.detection")
    let what: String
    if let shape = pose(signature, image) {
      var decoder = DecoderDraft(yolo: shape)
      decoder.options += [("classes", .integer(1)), ("keypoints", .integer(17))]
      decoder.labels = ["person"]
      (model.decoder, model.type) = (decoder, "image.pose")
      what = "17 keypoints"
    } else if let shape = YOLOShape(signature.outputs, image: image, classes: nil) {
      model.decoder = DecoderDraft(yolo: shape)
      what = "classes"
    } else {
      return nil
    }
    model.reason =
      "the number of boxes in \(shapes(signature)) is that of YOLO for an image of "
      + "\(image.size.width) x \(image.size.height), and the other values are taken as \(what); "
      + "the whole image with a gray margin is normalized to 0...1"
    return model
  }

  /// Finds the layout of a model with 56 values for each box: a box, a score and 17 keypoints.
  private static func pose(_ signature: SignatureDescription, _ image: ImageForm) -> YOLOShape? {
    guard signature.outputs.count == 1, signature.outputs[0].shape.contains(56),
      YOLOShape(signature.outputs, image: image, classes: nil) != nil
    else { return nil }
    return YOLOShape(
      signature.outputs, image: image, classes: 1, extras: YOLOShape.Extras(points: 17))
  }
}

extension RecognizedModel.Blaze {
  func fits(_ signature: SignatureDescription) -> Bool {
    let shapes = signature.outputs.map { $0.shape }
    return shapes.allSatisfy { $0.count == 3 && $0[0] == 1 && $0[1] == boxes }
      && Set(shapes.map { $0[2] }) == [1, 4 + 2 * points]
  }

  var anchors: OrderedJSON {
    .object([
      ("size", .integers([side, side])), ("strides", .integers(strides)),
      ("min_scale", .float(leastScale)), ("max_scale", .float(0.75)),
      ("aspect_ratios", .integers([1])),
      ("interpolated_scale_aspect_ratio", .integer(interpolates ? 1 : 0)),
      ("anchor_offset_x", .float(0.5)), ("anchor_offset_y", .float(0.5)),
      ("reduce_boxes_in_lowest_layer", .bool(false)), ("fixed_anchor_size", .bool(true)),
    ])
  }
}
