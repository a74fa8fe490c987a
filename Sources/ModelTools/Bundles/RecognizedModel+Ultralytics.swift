// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOLiteRT

extension RecognizedModel {
  /// Describes an export of Ultralytics, which states what it is; nil for another kind of model.
  init?(
    _ export: UltralyticsMetadata, _ signature: SignatureDescription, _ input: TensorMetadata?
  ) {
    guard var image = ImageForm(signature, input, known: export.size) else { return nil }
    image.normalization = ImageForm.zeroToOne
    if export.task != "classify" {
      image.crop = ImageForm.letterbox
      image.resize = "opencv-linear"
    }
    self.image = image
    about = export.about
    switch export.task {
    case "classify":
      labels = export.names
      // Ultralytics crops images for a square, and stretches them for another rectangle.
      if image.size.width != image.size.height { self.image?.crop = .string("stretch") }
    case nil, "detect", "segment", "pose", "obb": addBoxes(export, signature, image)
    case let task?:
      checks.append("the task '\(task)' isn't known; the outputs are drafted as arrays")
    }
  }

  private mutating func addBoxes(
    _ export: UltralyticsMetadata, _ signature: SignatureDescription, _ image: ImageForm
  ) {
    let points = export.task == "pose" ? export.points : nil
    let isOriented = export.task == "obb"
    guard points?.values ?? 3 == 3 else {
      checks.append(
        "decode: the model's keypoints have no scores, which no decoder supports; the outputs are "
          + "drafted as arrays")
      return
    }
    guard
      let shape = YOLOShape(
        signature.outputs, image: image, classes: export.names.isEmpty ? nil : export.names.count,
        extras: YOLOShape.Extras(points: points?.count ?? 0, isOriented: isOriented),
        isEndToEnd: export.isEndToEnd)
    else {
      let shapes = signature.outputs.map { "\($0.shape)" }.joined(separator: ", ")
      let classes = counted(export.names.count, "class", "classes")
      checks.append(
        "decode: the outputs \(shapes) don't fit \(classes) and the task "
          + "'\(export.task ?? "detect")'; they are drafted as arrays")
      return
    }
    var decoder = DecoderDraft(yolo: shape)
    let isAmbiguous = shape.masks != nil || points != nil || isOriented
    if isAmbiguous, shape.layout != "end-to-end", !export.names.isEmpty {
      decoder.options.append(("classes", .integer(export.names.count)))
    }
    if let points {
      decoder.options.append(
        ("keypoints", export.pointNames.map(OrderedJSON.strings) ?? .integer(points.count)))
    }
    if isOriented { decoder.options.append(("oriented", .bool(true))) }
    // The default of Ultralytics; its YOLOv5 has the default of the decoder.
    if export.task != nil, shape.layout != "end-to-end" {
      decoder.options.append(("iou", .float(0.7)))
    }
    // Ultralytics clips upright boxes and keypoints to the photo.
    if !isOriented { decoder.options.append(("clip", .bool(true))) }
    // Boxes are fractions, so that integers can hold them beside scores. The exporter that keeps
    // the order of PyTorch's axes leaves the boxes that the model has chosen in pixels.
    decoder.isInPixels = image.isChannelsFirst && shape.layout == "end-to-end"
    decoder.labels = export.names.isEmpty ? nil : export.names
    self.decoder = decoder
    type = points == nil ? "image.detection" : "image.pose"
  }
}

extension DecoderDraft {
  init(yolo shape: YOLOShape) {
    self.init(
      type: "yolo", output: shape.boxes, roles: shape.masks.map { [("masks", $0)] } ?? [],
      options: [("layout", .string(shape.layout))], isInPixels: false)
  }
}
