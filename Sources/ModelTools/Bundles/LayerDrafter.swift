// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOLiteRT

/// Writes the layers of a model.json from a model's tensors, and records its assumptions.
struct LayerDrafter {
  /// The value of `model.quantized` that fits the layers.
  let isQuantized: Bool
  var assets: [BundleDraft.Asset] = []
  /// One sentence for each assumption, and for anything else that the user should check.
  var checks: [String] = []
  /// The assumptions among ``checks`` that a run depends on.
  private(set) var assumptions: [String] = []
  /// The sizes of the input images.
  var images: [ImageSize] = []

  let signature: SignatureDescription
  var labelledOutputs = 0

  /// Whether the model takes one image and returns labelled values.
  var classifiesImages: Bool {
    images.count == 1 && signature.inputs.count == 1 && labelledOutputs > 0
  }

  /// What is known about the model as a whole; nil for a model of an unknown kind.
  let recognized: RecognizedModel?

  typealias Members = BundleDraft.Members

  /// The format of a SavedModel doesn't support quantized tensors.
  init(
    _ signature: SignatureDescription, mayBeQuantized: Bool = true,
    recognized: RecognizedModel? = nil
  ) {
    self.signature = signature
    self.recognized = recognized
    checks = recognized?.checks ?? []
    guard mayBeQuantized else {
      isQuantized = false
      return
    }
    let tensors = signature.inputs + signature.outputs
    // An image layer can't name a data type. If the model were marked as quantized, a float image
    // couldn't be described.
    let hasFloatImage = signature.inputs.contains {
      $0.dataType == .float32
        && (recognized?.image != nil || Self.hasImageShape($0) || Self.hasGrayShape($0, nil))
    }
    let areBytes = tensors.allSatisfy { $0.dataType?.isByte ?? false }
    isQuantized = areBytes || (!hasFloatImage && tensors.contains(where: Self.isQuantized))
  }

  mutating func assume(_ check: String) {
    checks.append(check)
    assumptions.append(check)
  }

  mutating func inputs(_ metadata: [TensorMetadata?]) throws -> [OrderedJSON] {
    try draft(signature.inputs, metadata, "input") { drafter, tensor, metadata, name, _ in
      if let form = drafter.recognized?.image,
        let layer = drafter.image(tensor, form, metadata, name: name)
      {
        return layer
      }
      if let sound = drafter.recognized?.sound {
        return try drafter.sound(tensor, sound, name: name)
      }
      if let size = drafter.imageSize(of: tensor, metadata, name: name) {
        return drafter.image(tensor, metadata, name: name, size: size)
      }
      return try drafter.numbers(tensor, name: name, side: "input")
    }.map(OrderedJSON.object)
  }

  mutating func outputs(_ metadata: [TensorMetadata?]) throws -> [OrderedJSON] {
    let decoded = recognized?.decoder?.outputs ?? []
    var layers = try draft(signature.outputs, metadata, "output") {
      drafter, tensor, metadata, name, index in
      if decoded.contains(index) {
        return try drafter.numbers(tensor, name: name, side: "output")
      }
      if let map = drafter.classMap(tensor, metadata, name: name) { return map }
      var members = try drafter.numbers(tensor, name: name, side: "output")
      drafter.addLabels(metadata, of: tensor, to: &members, name: name)
      if Self.hasImageShape(tensor) || metadata?.content?.isImage ?? false {
        drafter.assume(
          "type of '\(name)': an array is assumed; if it is an image, change the type to \"image\" "
            + "with \"format\" and \"denormalize\"")
      }
      return members
    }
    if let decoder = recognized?.decoder { addDecoder(decoder, to: &layers) }
    return layers.map(OrderedJSON.object)
  }

  mutating func placeholders(_ tensors: [TensorDescription]) throws -> [OrderedJSON] {
    try draft(tensors, tensors.map { _ in nil }, "placeholder") { drafter, tensor, _, name, _ in
      try drafter.numbers(tensor, name: name, side: "placeholder")
    }.map(OrderedJSON.object)
  }

  private typealias Draft = (
    inout LayerDrafter, TensorDescription, TensorMetadata?, _ name: String, _ index: Int
  ) throws -> Members

  private mutating func draft(
    _ tensors: [TensorDescription], _ metadata: [TensorMetadata?], _ side: String, _ draft: Draft
  ) throws -> [Members] {
    var names: Set<String> = []
    let known = side == "output" ? recognized?.outputNames : nil
    return try tensors.enumerated().map { index, tensor in
      if let known { return try draft(&self, tensor, metadata[index], known[index], index) }
      let own = tensor.name.isEmpty ? metadata[index]?.name ?? "" : tensor.name
      let name = names.insertUnique(own.isEmpty ? side : own, separator: "_")
      if name != tensor.name {
        assume(
          "name of '\(name)': the model's name for the \(side) at index \(index) is "
            + "'\(tensor.name)'")
      }
      return try draft(&self, tensor, metadata[index], name, index)
    }
  }

  mutating func assumeColors(_ name: String) {
    assume("format of '\(name)': the model doesn't specify it; RGB is assumed")
  }

  // MARK: - Numbers

  mutating func numbers(_ tensor: TensorDescription, name: String, side: String) throws -> Members {
    guard let dataType = tensor.dataType else {
      throw TensorIOError(
        .unsupportedModel,
        "The \(side) '\(name)' has \(tensor.typeName) values, which a layer of a model.json can't "
          + "describe. Convert the model with another type.")
    }
    guard !tensor.shape.contains(0) else {
      throw TensorIOError(
        .unsupportedModel,
        "The \(side) '\(name)' has the shape \(tensor.shape), which has no elements. A layer of a "
          + "model.json can't describe that.")
    }
    let type = dataType == .string ? "string" : tensor.shape.isEmpty ? "scalar" : "array"
    var members: Members = [
      ("name", .string(name)), ("type", .string(type)),
      ("shape", .integers(closedShape(of: tensor, name: name))),
    ]
    if dataType != (isQuantized ? nil : .float32), !(isQuantized && dataType.isByte) {
      members.append(("dtype", .string(dataType.rawValue)))
    }
    guard Self.isQuantized(tensor) else { return members }
    if isQuantized {
      let key = side == "input" ? "quantize" : "dequantize"
      members.append((key, .object([("standard", .string("model"))])))
    } else {
      assume(
        "'\(name)' is passed as raw \(dataType) values, because a model.json can't describe "
          + "quantization beside a float image")
    }
    return members
  }

  /// Returns the shape with a length for every axis except the batch axis.
  private mutating func closedShape(of tensor: TensorDescription, name: String) -> [Int] {
    if tensor.rankIsUnknown {
      assume("shape of '\(name)': the model allows any shape; one value is assumed")
      return [1]
    }
    guard tensor.shape.dropFirst().contains(-1) else { return tensor.shape }
    assume("shape of '\(name)': the model leaves \(tensor.shape) open; 1 is assumed")
    return tensor.shape.prefix(1) + tensor.shape.dropFirst().map { $0 < 0 ? 1 : $0 }
  }

  private static func isQuantized(_ tensor: TensorDescription) -> Bool {
    switch tensor.dataType {
    case .uint8, .int8, .int16, .int32: tensor.quantization != nil
    default: false
    }
  }

  // MARK: - Images

  static func hasImageShape(_ tensor: TensorDescription) -> Bool {
    let shape = tensor.shape
    return shape.count == 4 && abs(shape[0]) == 1 && shape[3] == 3 && shape[1] != 0
      && shape[1] != 1 && shape[2] != 0 && shape[2] != 1
  }

  /// Sound can have the same rank, so without metadata only squares count as gray images.
  static func hasGrayShape(_ tensor: TensorDescription, _ metadata: TensorMetadata?) -> Bool {
    let shape = tensor.shape
    guard shape.count == 4, abs(shape[0]) == 1, shape[3] == 1 else { return false }
    let isLarge = shape[1] >= 8 && shape[2] >= 8
    return metadata?.content?.isImage ?? (isLarge && shape[1] == shape[2])
  }

  /// Returns the width and height if a tensor holds an image.
  private mutating func imageSize(
    of tensor: TensorDescription, _ metadata: TensorMetadata?, name: String
  ) -> ImageSize? {
    guard Self.hasImageShape(tensor) || Self.hasGrayShape(tensor, metadata),
      metadata?.content?.isImage ?? true
    else { return nil }
    switch tensor.dataType {
    case .float32: guard !isQuantized else { return nil }
    case .uint8, .int8: guard isQuantized || tensor.quantization == nil else { return nil }
    default: return nil
    }
    var size = (width: tensor.shape[2], height: tensor.shape[1])
    guard size.height < 0 || size.width < 0 else { return size }
    var known: (width: Int?, height: Int?) = (nil, nil)
    if case .image(_, let width, let height)? = metadata?.content { known = (width, height) }
    if size.height < 0 { size.height = known.height ?? Self.usualSide }
    if size.width < 0 { size.width = known.width ?? Self.usualSide }
    assume(
      "shape of '\(name)': the model leaves the size open; \(size.height) rows of \(size.width) "
        + "pixels are assumed")
    return size
  }

  /// The side length that most classifiers take, in pixels.
  private static let usualSide = 224

  private mutating func image(
    _ tensor: TensorDescription, _ metadata: TensorMetadata?, name: String,
    size: ImageSize
  ) -> Members {
    images.append(size)
    let channels = tensor.shape[3]
    if channels == 1, metadata?.content == nil {
      assume(
        "type of '\(name)': a gray image is assumed; if it isn't one, change the type to \"array\""
      )
    } else if channels == 3, !(metadata?.content?.isRGB ?? false) {
      assumeColors(name)
    }
    let batch = tensor.shape[0] == -1 ? [-1] : []
    var members: Members = [
      ("name", .string(name)), ("type", .string("image")),
      ("shape", .integers(batch + [size.height, size.width, channels])),
      ("format", .string(channels == 1 ? "GRAY" : "RGB")),
    ]
    let draft = NormalizationDraft(
      metadata?.normalization, for: tensor,
      isStandardized: recognized?.isStandardized ?? false, name: name)
    if let normalize = draft.json { members.append(("normalize", normalize)) }
    if let check = draft.check { assume(check) }
    return members
  }
}

extension TensorMetadata.Content {
  fileprivate var isImage: Bool {
    if case .image = self { true } else { false }
  }

  fileprivate var isRGB: Bool {
    if case .image(.rgb, _, _) = self { true } else { false }
  }
}

extension Set<String> {
  /// Inserts a name, with a number if the set already has it, and returns what was inserted.
  package mutating func insertUnique(_ name: String, separator: String) -> String {
    var unique = name
    var number = 2
    while !insert(unique).inserted {
      unique = name + separator + String(number)
      number += 1
    }
    return unique
  }
}
