// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO
package import TensorIOLiteRT

/// TensorFlow Lite's metadata for the model of a bundle, and what it can't express.
package struct BundleMetadata {
  /// The metadata, with inputs and outputs in the order of the bundle's layers.
  package private(set) var metadata = ModelMetadata.empty
  /// One sentence for each part of the bundle that programs won't find in the metadata.
  package private(set) var notes: [String] = []
  private var isDetector = false

  /// Describes a bundle.
  ///
  /// - Parameters:
  ///   - manifest: The bundle's model.json.
  ///   - signature: The inputs and outputs of the loaded model, which have the tensors' types.
  ///   - old: The metadata that the model has. MediaPipe's anchors stay in it.
  /// - Throws: ``TensorIOError`` for a bundle without a model, or with one to train.
  package init(
    _ manifest: ModelManifest, _ signature: ModelSignature, replacing old: ModelMetadata? = nil
  ) throws {
    guard !manifest.isPlaceholder, !manifest.describesTraining, manifest.placeholders.isEmpty else {
      throw TensorIOError(
        .unsupportedModel,
        "Metadata describes a .tflite file that predicts, but the bundle '\(manifest.name)' has "
          + (manifest.isPlaceholder ? "no model." : "a model to train.")
          + " Use a bundle with the mode \"predict\".")
    }
    metadata.name = Self.text(manifest.name)
    metadata.description = Self.text(manifest.details)
    metadata.version = Self.text(manifest.version)
    metadata.author = Self.text(manifest.author)
    metadata.license = Self.text(manifest.license)
    isDetector = signature.outputs.contains { output in
      ["tflite-postprocess", "ssd"].contains(output.coding?.type)
    }
    metadata.inputs = signature.inputs.map { tensor($0, isInput: true) }
    metadata.outputs = signature.outputs.map { tensor($0, isInput: false) }
    for (index, spec) in signature.outputs.enumerated() {
      if let coding = spec.coding { addDecoder(coding, of: index, in: signature.outputs, old) }
    }
    if old?.outputs.contains(where: \.isCalibrated) == true {
      notes.append("the calibration of scores in the model's own metadata is removed")
    }
  }

  /// Returns a text; nil if it is empty or still has to be filled in.
  private static func text(_ text: String) -> String? {
    text.isEmpty || text.hasPrefix(BundleDraft.markerStart) ? nil : text
  }

  private mutating func note(_ spec: TensorSpec, _ text: String) {
    notes.append("'\(spec.name)': the metadata \(text)")
  }

  // MARK: - Layers

  private mutating func tensor(_ spec: TensorSpec, isInput: Bool) -> TensorMetadata {
    var tensor = TensorMetadata()
    tensor.name = spec.name
    tensor.content = .features
    if spec.dataType.isByte {
      let first: Float = spec.dataType == .int8 ? -128 : 0
      (tensor.minimum, tensor.maximum) = ([first], [first + 255])
    }
    switch spec.kind {
    case .imageInput(let shape, let preprocessing):
      tensor.content = .image(shape.format.colorSpace, width: shape.width, height: shape.height)
      noteImage(spec, shape, preprocessing)
      addNormalization(preprocessing.normalization, shape.format, of: spec, to: &tensor)
    case .imageOutput(let shape, let denormalization):
      tensor.content = .image(shape.format.colorSpace, width: shape.width, height: shape.height)
      if denormalization != nil { note(spec, "can't say how numbers become pixels") }
    case .classMap(let shape, let labels):
      tensor.content = .image(.grayscale, width: shape.width, height: shape.height)
      // MediaPipe expects labels of the axis even if the values are classes.
      let count = shape.holdsScores ? shape.depth : .max
      tensor.labels = labels.map { Array($0.names.prefix(count)) }
    case .vector(let quantization, let labels):
      // Programs compare the number of labels with the number of values.
      tensor.labels = labels.map { Array($0.names.prefix(spec.elementCount)) }
      check(quantization, of: spec, isInput: isInput)
    case .scalar(let quantization): check(quantization, of: spec, isInput: isInput)
    case .bytes:
      if spec.dataType == .string { note(spec, "can't say what the text means to the model") }
    }
    if isInput, let coding = spec.coding {
      note(spec, "can't say how the type '\(coding.type)' becomes numbers")
    }
    return tensor
  }

  private mutating func noteImage(
    _ spec: TensorSpec, _ shape: ImageShape, _ preprocessing: ImagePreprocessing
  ) {
    if spec.dataType != .uint8, spec.dataType != .float32 {
      notes.append(
        "'\(spec.name)': the Task Library and MediaPipe take images as uint8 or float32, but the "
          + "model takes \(spec.dataType)")
    }
    if shape.format == .bgr { note(spec, "has no BGR, so it leaves the colours unknown") }
    if shape.layout == .channelsFirst {
      note(spec, "has no layout, and programs expect the channels last")
    }
    if preprocessing.crop != ImageCrop(.stretch) {
      note(
        spec,
        "has no crop; the Task Library and MediaPipe stretch the whole image unless a program "
          + "passes a region")
    } else if !isDetector {
      note(spec, "has no crop; programs stretch the image, but 'tensorio init' assumes \"center\"")
    }
    if preprocessing.resize != .pillowBilinear {
      note(spec, "has no \"resize\", and programs use their own bilinear method")
    }
  }

  /// Adds a normalization, and the range of the numbers that it makes of pixels.
  private mutating func addNormalization(
    _ normalization: PixelNormalization?, _ format: ImageShape.Format, of spec: TensorSpec,
    to tensor: inout TensorMetadata
  ) {
    // Bytes are passed as they are. Programs refuse images of floats without a normalization.
    guard normalization != nil || !spec.dataType.isByte else {
      // An int8 tensor gets each byte minus 128.
      if spec.dataType == .int8, let stored = spec.storedQuantization, stored.scales.count == 1 {
        let std = Self.shortest(1 / Double(stored.scales[0])) { 1 / $0 == stored.scales[0] }
        tensor.normalization = .init(mean: 128 + Float(stored.zeroPoints[0]), std: std)
      }
      return
    }
    let scale = normalization?.scale.ordered(format) ?? [1]
    let bias = normalization?.bias.ordered(format) ?? [0]
    var std = scale.map { scale in Self.shortest(1 / Double(scale)) { 1 / $0 == scale } }
    var mean = zip(std, bias).map { std, bias in
      Self.shortest((0 - Double(bias)) * Double(std)) { (0 - $0) / std == bias }
    }
    guard (mean + std).allSatisfy(\.isFinite), !std.contains(0) else {
      return note(spec, "can't express a scale of 0, so it has no normalization")
    }
    if Set(mean).count == 1, Set(std).count == 1 { (mean, std) = ([mean[0]], [std[0]]) }
    tensor.normalization = TensorMetadata.Normalization(mean: mean, std: std)
    guard !spec.dataType.isByte else { return }
    let ends = zip(mean, std).map { ((0 - $0) / $1, (255 - $0) / $1) }
    tensor.minimum = ends.map { min($0, $1) }
    tensor.maximum = ends.map { max($0, $1) }
  }

  /// Returns the number with the fewest decimals that has a property; without one, the number.
  ///
  /// A scale of 1 / 255 therefore becomes a deviation of 255, as the model's author wrote it.
  private static func shortest(_ number: Double, _ isRight: (Float) -> Bool) -> Float {
    var power = 1.0
    while power < 1e7 {
      let rounded = Float((number * power).rounded() / power)
      if isRight(rounded) { return rounded }
      power *= 10
    }
    return Float(number)
  }

  /// Reports a quantization that differs from the model's own by more than rounding.
  private mutating func check(
    _ quantization: Quantization?, of spec: TensorSpec, isInput: Bool
  ) {
    guard case .linear(var scale, var bias)? = quantization else { return }
    // An input is (x + bias) * scale, and an output is q * scale + bias.
    if isInput { (scale, bias) = (1 / scale, 0 - bias) }
    if let stored = spec.storedQuantization, stored.scales.count == 1 {
      let zero = 0 - Float(stored.zeroPoints[0]) * stored.scales[0]
      let tolerance = stored.scales[0].magnitude
      if (scale - stored.scales[0]).magnitude * 255 <= tolerance,
        (bias - zero).magnitude <= tolerance
      {
        return
      }
    }
    note(spec, "has no quantization, so programs use the scale and zero point in the model")
  }

  // MARK: - Decoders

  private mutating func addDecoder(
    _ coding: LayerCoding, of index: Int, in outputs: [TensorSpec], _ old: ModelMetadata?
  ) {
    func output(_ role: String) -> Int? {
      coding.text(role).flatMap { name in outputs.firstIndex { $0.name == name } }
    }
    let spec = outputs[index]
    switch coding.type {
    case "tflite-postprocess":
      guard let classes = output("classes"), let scores = output("scores"),
        let count = output("count")
      else { return }
      // The Task Library and MediaPipe look for these names.
      metadata.outputs[index].name = "location"
      metadata.outputs[index].content = .boundingBoxes
      metadata.outputs[classes].name = "category"
      metadata.outputs[classes].valueLabels = coding.labels?.names
      metadata.outputs[scores].name = "score"
      metadata.outputs[scores].scoreThreshold = coding.float("threshold")
      metadata.outputs[count].name = "number of detections"
      for key in ["iou", "suppress", "top", "candidates"] where coding[key] != nil {
        note(spec, "has no \"\(key)\" of the decoder '\(coding.type)'")
      }
      if coding.text("units") == "pixels" { note(spec, "has fractions of the image, not pixels") }
    case "ssd" where old?.detector != nil:
      guard let scores = output("scores") else { return }
      metadata.outputs[index].name = "location"
      metadata.outputs[index].content = .boundingBoxes
      metadata.outputs[scores].name = "score"
      metadata.outputs[scores].labels = coding.labels?.names
      metadata.outputs[scores].scoreThreshold = coding.float("threshold")
      metadata.detector = old?.detector
      note(spec, "keeps the anchors and the decoding that the model's own metadata has")
    case "multi-label":
      let count = spec.itemShape.last ?? 1
      metadata.outputs[index].labels = coding.labels.map { Array($0.names.prefix(count)) }
      metadata.outputs[index].scoreThreshold = coding.float("threshold") ?? 0.5
      if coding.text("activation") == "sigmoid" {
        note(spec, "can't say that scores are the sigmoid of the numbers")
      }
    default: note(spec, "has nothing like the decoder '\(coding.type)'")
    }
  }
}

extension ImageShape.Format {
  fileprivate var colorSpace: TensorMetadata.ColorSpace {
    switch self {
    case .rgb: .rgb
    case .gray: .grayscale
    case .bgr: .unknown
    }
  }
}
