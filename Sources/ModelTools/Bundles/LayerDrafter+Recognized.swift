// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOLiteRT

extension LayerDrafter {
  /// The file in the assets folder with the anchors of boxes.
  static let anchorsFile = "anchors.txt"

  /// The value of `model.type`; nil if the layers don't show what the model does.
  var modelType: String? {
    if let type = recognized?.type, images.count == 1 { return type }
    return classifiesImages ? "image.classification" : nil
  }

  /// The value of `options`; nil if there are none.
  var options: OrderedJSON? {
    var members: Members = []
    if modelType != nil { members.append(("device_position", .string("back"))) }
    if classifiesImages {
      members.append(("output_format", .string("image.classification.imagenet")))
    }
    return members.isEmpty ? nil : .object(members)
  }

  /// Describes the image of a recognized model; nil if model.json can't describe it.
  mutating func image(
    _ tensor: TensorDescription, _ form: ImageForm, _ metadata: TensorMetadata?, name: String
  ) -> Members? {
    switch tensor.dataType {
    case .float32: guard !isQuantized else { return nil }
    case .uint8, .int8: guard isQuantized || tensor.quantization == nil else { return nil }
    default: break
    }
    let (width, height) = form.size
    images.append(form.size)
    if form.isSizeAssumed {
      assume(
        "shape of '\(name)': the model leaves the size open; \(height) rows of \(width) pixels are "
          + "assumed")
    }
    if !form.hasKnownColors { assumeColors(name) }
    let batch = tensor.shape[0] == -1 ? [-1] : []
    var members: Members = [
      ("name", .string(name)), ("type", .string("image")),
      (
        "shape",
        .integers(batch + (form.isChannelsFirst ? [3, height, width] : [height, width, 3]))
      ),
      ("format", .string("RGB")),
    ]
    if form.isChannelsFirst { members.append(("layout", .string("channels-first"))) }
    if let resize = form.resize { members.append(("resize", .string(resize))) }
    if let crop = form.crop { members.append(("crop", crop)) }
    // Wider integers hold pixel values.
    guard tensor.dataType != .int32 else { return members }
    let draft = NormalizationDraft(
      metadata?.normalization ?? form.normalization, for: tensor, channels: 3, name: name)
    if let normalize = draft.json { members.append(("normalize", normalize)) }
    if let check = draft.check { assume(check) }
    return members
  }

  /// Describes the recording of a recognized model.
  mutating func sound(
    _ tensor: TensorDescription, _ sound: Members, name: String
  ) throws -> Members {
    if let reason = recognized?.reason {
      assume("type of '\(name)': audio is assumed, because \(reason)")
    }
    return try numbers(tensor, name: name, side: "input")
      .map { $0.key == "type" ? ($0.key, .string("audio")) : $0 } + sound
  }

  /// Adds the field `decode`, and reports what isn't certain about it.
  mutating func addDecoder(_ decoder: DecoderDraft, to layers: inout [Members]) {
    let names = layers.map { layer -> String in
      if case .string(let name)? = layer.first?.value { name } else { "" }
    }
    let name = names[decoder.output]
    let labels = decoder.labels.map { addAsset($0) }
    let anchors = decoder.anchors.map { rows in
      addAsset(
        rows.map { $0.map(\.shortText).joined(separator: " ") + "\n" }.joined(), named: "anchors")
    }
    layers[decoder.output].append(
      ("decode", decoder.json(names: names, labels: labels, anchors: anchors)))
    if let reason = recognized?.reason {
      assume("decode of '\(name)': '\(decoder.type)' is assumed, because \(reason)")
    }
    if let isInPixels = decoder.isInPixels, !decoder.unitsAreMeasured {
      let (unit, other) = isInPixels ? ("pixels", "fractions") : ("fractions", "pixels")
      checks.append(
        "decode.units of '\(name)': \(unit) are assumed, as exports of Ultralytics of this kind "
          + "have them; if boxes are in wrong places, write \"\(other)\"")
    }
    if labels == nil, !["movenet", "heatmaps", "reconstruction"].contains(decoder.type) {
      checks.append(
        "decode.labels of '\(name)': the model has no names for the objects that it finds; put "
          + "them into assets/labels.txt, one per line, and add \"labels\": \"labels.txt\"")
    }
  }
}
