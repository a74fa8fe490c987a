// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import TensorIO

/// Decodes boxes, with their keypoints and masks.
struct ObjectDecoder: PreparedDecoder {
  private enum Kernel {
    case postprocess(PostprocessDecoder, classes: Int, scores: Int, count: Int)
    case ssd(SSDDecoder, scores: Int)
    case yolo(YOLODecoder)
  }

  private let kernel: Kernel
  private let masks: (index: Int, prototypes: MaskPrototypes)?
  private let outputs: DecoderOutputs
  private let pointNames: [String]
  private let isInPixels: Bool
  /// Whether positions outside the image are moved to its edge.
  private let isClipped: Bool

  init(_ outputs: DecoderOutputs, image: TensorSpec?) throws {
    self.outputs = outputs
    let options = outputs.options
    pointNames = PointNames(options).names
    isInPixels =
      (options.text("units") ?? (outputs.type == "yolo" ? "pixels" : "fractions")) == "pixels"
    isClipped = options.flag("clip") ?? false
    let selection = try Self.selection(outputs)
    var masks: (index: Int, prototypes: MaskPrototypes)?
    switch outputs.type {
    case "yolo":
      let classes = options.count("classes")
      if let index = outputs.output("masks") {
        masks = (index, try Self.prototypes(outputs, index, classes, pointNames.count))
      }
      let decoder = try YOLODecoder(
        shape: outputs.shape,
        options: YOLOOptions(
          layout: options.text("layout").flatMap(YOLOOptions.Layout.init) ?? .v8, classes: classes,
          points: pointNames.count, coefficients: masks?.prototypes.count ?? 0,
          isOriented: options.flag("oriented") ?? false),
        selection: selection)
      try Self.check(options.labels, classes: decoder.classes)
      kernel = .yolo(decoder)
    case "tflite-postprocess":
      kernel = .postprocess(
        try PostprocessDecoder(boxShape: outputs.shape, selection: selection),
        classes: try outputs.requiredOutput("classes"),
        scores: try outputs.requiredOutput("scores"), count: try outputs.requiredOutput("count"))
    default:
      let scores = try outputs.requiredOutput("scores")
      let decoder = try SSDDecoder(
        boxShape: outputs.shape, scoreShape: outputs.shape(of: scores),
        anchors: try AnchorReader(options).anchors(),
        options: Self.ssdOptions(outputs, image, points: pointNames.count), selection: selection)
      kernel = .ssd(decoder, scores: scores)
    }
    self.masks = masks
  }

  // MARK: - Options

  private static func selection(_ outputs: DecoderOutputs) throws -> BoxSelection {
    let options = outputs.options
    var selection =
      outputs.type == "blazeface"
      ? BoxSelection.blazeFace : BoxSelection(threshold: 0.25, iou: 0.45)
    // These models have already suppressed boxes.
    if outputs.type == "tflite-postprocess" || options.text("layout") == "end-to-end" {
      selection.suppression = .none
    }
    if let threshold = options.float("threshold") { selection.threshold = threshold }
    if let iou = options.float("iou") { selection.iou = iou }
    if let top = options.count("top") { selection.top = top }
    if let candidates = options.count("candidates") { selection.candidates = candidates }
    if let word = options.text("suppress").flatMap(BoxSelection.Suppression.init) {
      selection.suppression = word
    }
    return selection
  }

  private static func ssdOptions(
    _ outputs: DecoderOutputs, _ image: TensorSpec?, points: Int
  ) -> SSDOptions {
    let options = outputs.options
    guard outputs.type == "ssd" else {
      var size: Float = 128
      if case .imageInput(let shape, _)? = image?.kind { size = Float(shape.width) }
      var face = SSDOptions.blazeFace(inputSize: size)
      if let scale = options.numbers("scale") { face.scale = scale.map { Float($0) } }
      face.points = points
      return face
    }
    return SSDOptions(
      order: options.text("order").flatMap(SSDOptions.Order.init) ?? .yxhw,
      scale: options.numbers("scale")?.map { Float($0) } ?? [10, 10, 5, 5],
      isExponential: options.flag("exponential") ?? true,
      hasBackground: options.flag("background") ?? false,
      activation: options.text("activation").flatMap(BoxActivation.init) ?? .sigmoid,
      points: points)
  }

  /// Finds the prototypes of masks, whose number follows from the values of a box.
  private static func prototypes(
    _ outputs: DecoderOutputs, _ index: Int, _ classes: Int?, _ points: Int
  ) throws -> MaskPrototypes {
    let layout = outputs.options.text("layout")
    let values = layout == "v8" ? outputs.shape.dropLast().last : outputs.shape.last
    let known = classes ?? outputs.options.labels?.names.count
    let before = layout == "end-to-end" ? 6 : (layout == "v5" ? 5 : 4) + (known ?? 0)
    let count = layout == "end-to-end" || known != nil ? (values ?? 0) - before - 3 * points : nil
    return try MaskPrototypes(shape: outputs.shape(of: index), count: count)
  }

  private static func check(_ labels: Labels?, classes: Int?) throws {
    guard let names = labels?.names.count, let classes, names < classes else { return }
    throw DecodingError(
      "Its labels have \(counted(names, "name")), but the output has scores of "
        + "\(counted(classes, "class", "classes")). Add the missing labels in the model's order, or "
        + "check the layout.")
  }

  // MARK: - Decoding

  func decode(_ values: ModelOutputs) throws -> DecodedValue {
    let frame = try ImageFrame(values.imageInput, size: values.imageSize)
    switch kernel {
    case .yolo(let decoder):
      return try values.withFloats(at: outputs.index) { tensor in
        let found = try decoder.decode(tensor)
        var objects = objects(found, in: frame)
        if let masks {
          try values.withFloats(at: masks.index) { prototypes in
            for index in found.boxes.indices {
              let box = found.boxes[index]
              let mask = try masks.prototypes.mask(
                of: box, coefficients: decoder.coefficients(of: box, in: tensor),
                extent: isInPixels ? (Float(frame.input.width), Float(frame.input.height)) : (1, 1),
                size: frame.fineInput, in: prototypes)
              objects[index].mask = frame.mask(mask, for: objects[index].box)
            }
          }
        }
        return .objects(objects)
      }
    case .ssd(let decoder, let scores):
      return try values.withFloats(at: outputs.index) { boxes in
        try values.withFloats(at: scores) { scores in
          .objects(objects(try decoder.decode(boxes: boxes, scores: scores), in: frame))
        }
      }
    case .postprocess(let decoder, let classes, let scores, let count):
      return try values.withFloats(at: outputs.index) { boxes in
        try values.withFloats(at: classes) { classes in
          try values.withFloats(at: scores) { scores in
            let count: Float = try values.value(at: count)
            return .objects(
              objects(
                try decoder.decode(boxes: boxes, classes: classes, scores: scores, count: count),
                in: frame))
          }
        }
      }
    }
  }

  /// Converts boxes and keypoints to pixels of the image.
  private func objects(_ found: DecodedObjects, in frame: ImageFrame) -> [Detection] {
    let factor = isInPixels ? (1, 1) : frame.input
    return found.boxes.enumerated().map { index, box in
      var detection = Detection(
        classIndex: box.classIndex, label: outputs.options.label(box.classIndex), score: box.score,
        box: frame.box(
          left: Double(box.left) * factor.0, top: Double(box.top) * factor.1,
          right: Double(box.right) * factor.0, bottom: Double(box.bottom) * factor.1))
      if let angle = box.angle {
        let turned = frame.turnedBox(
          x: Double(box.left + box.right) / 2 * factor.0,
          y: Double(box.top + box.bottom) / 2 * factor.1,
          width: Double(box.width) * factor.0, height: Double(box.height) * factor.1,
          angle: Double(angle))
        (detection.box, detection.angle) = (turned.box, turned.angle)
      }
      let points = found.points(of: index)
      if !points.isEmpty {
        detection.keypoints = zip(pointNames, points).map { name, point in
          Keypoint(
            name: name, x: frame.x(Double(point.x) * factor.0),
            y: frame.y(Double(point.y) * factor.1), score: point.score)
        }
      }
      if isClipped { frame.clip(&detection) }
      return detection
    }
  }
}

extension ImageFrame {
  /// Converts a mask on the fine grid of the model's input to pixels of the image, within a box.
  fileprivate func mask(_ mask: InstanceMask, for box: Box) -> ObjectMask {
    func range(_ start: Double, _ length: Double, _ limit: Int) -> Range<Int> {
      let first = Int(min(max(start, 0), Double(limit)).rounded(.down))
      let end = Int(min(max(start + length, 0), Double(limit)).rounded(.up))
      return first..<max(first, end)
    }
    let columns = range(box.x, box.width, image.width)
    let rows = range(box.y, box.height, image.height)
    let fine = fineInput
    let across = Double(fine.width) / input.width
    let down = Double(fine.height) / input.height
    let cells = columns.map { Int((inputX(Double($0) + 0.5) * across).rounded(.down)) - mask.left }
    var pixels: [Bool] = []
    pixels.reserveCapacity(columns.count * rows.count)
    for y in rows {
      let row = Int((inputY(Double(y) + 0.5) * down).rounded(.down)) - mask.top
      let isInside = (0..<mask.height).contains(row)
      for column in cells {
        pixels.append(
          isInside && (0..<mask.width).contains(column)
            && mask.cells[row * mask.width + column] != 0)
      }
    }
    return ObjectMask(
      x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count,
      pixels: pixels)
  }
}
