// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOLiteRT

extension RecognizedModel {
  /// Describes an object detector whose outputs are the results of `TFLite_Detection_PostProcess`.
  ///
  /// The names are `boxes`, `classes`, `scores` and `count`, one for each output.
  init(
    detections names: [String], _ signature: SignatureDescription, _ input: TensorMetadata?,
    _ outputs: [TensorMetadata?]
  ) {
    addStretchedImage(signature, input)
    var decoder = DecoderDraft(
      type: "tflite-postprocess", output: names.firstIndex(of: "boxes") ?? 0)
    for role in ["classes", "scores", "count"] {
      if let index = names.firstIndex(of: role) { decoder.roles.append((role, index)) }
    }
    decoder.labels = outputs.lazy.compactMap { $0?.valueLabels ?? $0?.labels }.first
    decoder.addThreshold(outputs)
    self.decoder = decoder
    outputNames = names
    type = "image.detection"
    addCalibration(outputs)
  }

  /// Returns what each output of an object detector is, according to the names in its metadata.
  static func detectionNames(_ outputs: [TensorMetadata?]) -> [String]? {
    let roles = [
      "location": "boxes", "category": "classes", "score": "scores",
      "number of detections": "count",
    ]
    let names = outputs.compactMap { output in output?.name.flatMap { roles[$0] } }
    return names.count == 4 && outputs.count == 4 && Set(names).count == 4 ? names : nil
  }

  /// Describes an object detector of MediaPipe, whose metadata has the anchors; nil if it isn't
  /// one.
  init?(
    _ detector: DetectorMetadata, _ signature: SignatureDescription, _ input: TensorMetadata?,
    _ outputs: [TensorMetadata?]
  ) {
    guard !detector.anchors.isEmpty, signature.outputs.count == 2 else { return nil }
    let boxes = outputs.firstIndex { $0?.name == "location" } ?? 0
    let counts = signature.outputs.map { $0.shape.dropLast().last }
    let isValid =
      counts.allSatisfy { $0 == detector.anchors.count }
      && (detector.anchors.joined() + detector.scale).allSatisfy(\.isFinite)
      && detector.scale.count == 4 && !detector.scale.contains(0)
    guard isValid else {
      checks.append(
        "decode: the metadata's \(detector.anchors.count) anchors don't fit the outputs "
          + signature.outputs.map { "\($0.shape)" }.joined(separator: ", "))
      return
    }
    addStretchedImage(signature, input)
    var decoder = DecoderDraft(type: "ssd", output: boxes, roles: [("scores", 1 - boxes)])
    decoder.anchors = detector.anchors
    decoder.options = [("scale", .array(detector.scale.map(OrderedJSON.float)))]
    if !detector.isExponential { decoder.options.append(("exponential", .bool(false))) }
    if !detector.hasSigmoid { decoder.options.append(("activation", .string("none"))) }
    // MediaPipe compares boxes of all classes.
    decoder.options.append(("suppress", .string("all")))
    decoder.addThreshold(outputs)
    if detector.points > 0, detector.pointOffset == 4, detector.points <= 1000 {
      decoder.options.append(("keypoints", .integer(detector.points)))
    } else if detector.points > 0 {
      checks.append("decode: the keypoints are left out, because no decoder reads their layout")
    }
    decoder.labels = outputs[1 - boxes]?.labels
    self.decoder = decoder
    type = "image.detection"
    addCalibration(outputs)
  }

  private mutating func addStretchedImage(
    _ signature: SignatureDescription, _ input: TensorMetadata?
  ) {
    guard var image = ImageForm(signature, input), !image.isChannelsFirst else { return }
    if case .image(.rgb, _, _)? = input?.content {} else { image.hasKnownColors = false }
    image.crop = .string("stretch")
    self.image = image
    checks.append(
      "crop of the image: the whole image is stretched, as TensorFlow Lite's Task Library and "
        + "MediaPipe do")
  }

  private mutating func addCalibration(_ outputs: [TensorMetadata?]) {
    guard outputs.contains(where: { $0?.isCalibrated ?? false }) else { return }
    checks.append(
      "scores: the metadata's calibration of scores isn't supported; they are used as they are")
  }
}

extension DecoderDraft {
  /// Adds the threshold that the metadata states for one of the outputs.
  fileprivate mutating func addThreshold(_ outputs: [TensorMetadata?]) {
    guard let threshold = outputs.lazy.compactMap({ $0?.scoreThreshold }).first,
      threshold.isFinite
    else { return }
    options.append(("threshold", .float(threshold)))
  }
}
