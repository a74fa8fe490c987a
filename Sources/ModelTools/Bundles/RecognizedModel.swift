// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOLiteRT

/// A model of a known kind, which is recognized by its metadata or by the shapes of its tensors.
struct RecognizedModel {
  /// How the only input is prepared; nil for an image that is described like others.
  var image: ImageForm?
  /// The keys of the only input, a recording; nil if it isn't one.
  var sound: BundleDraft.Members?
  /// What the outputs mean together; nil if each stands for itself.
  var decoder: DecoderDraft?
  /// Names of the outputs in place of the model's own.
  var outputNames: [String]?
  /// The names of a classifier's classes.
  var labels: [String]?
  /// Whether each image is normalized by its own mean and deviation.
  var isStandardized = false
  /// The value of `model.type`.
  var type: String?
  /// The model's description of itself, apart from TensorFlow Lite's metadata.
  var about: ModelMetadata?
  /// Why the model is taken for one of its kind; nil if it says so itself.
  var reason: String?
  var checks: [String] = []
}

/// An image input of a recognized model, with the only way in which the model gets images.
struct ImageForm {
  private(set) var size: ImageSize
  /// Whether the model leaves its size open and doesn't state one either.
  private(set) var isSizeAssumed = false
  let isChannelsFirst: Bool
  /// Whether the kind of model, or its metadata, shows that its colours are red, green and blue.
  var hasKnownColors = true
  var crop: OrderedJSON?
  var resize: String?
  /// The normalization, if TensorFlow Lite's metadata doesn't state it.
  var normalization: TensorMetadata.Normalization?

  /// Finds the axes of a model's only input; nil if it can't be an image in colour.
  ///
  /// - Parameters:
  ///   - signature: The model's inputs and outputs.
  ///   - metadata: The metadata of the input.
  ///   - known: The size that the model states elsewhere.
  ///   - side: The side length to assume if the model leaves it open.
  init?(
    _ signature: SignatureDescription, _ metadata: TensorMetadata?, known: ImageSize? = nil,
    side: Int = 224
  ) {
    guard signature.inputs.count == 1 else { return nil }
    let shape = signature.inputs[0].shape
    guard [.float32, .uint8, .int8, .int32].contains(signature.inputs[0].dataType),
      shape.count == 4, abs(shape[0]) == 1, shape[3] == 3 || shape[1] == 3
    else { return nil }
    isChannelsFirst = shape[3] != 3
    let axes = isChannelsFirst ? shape[2...3] : shape[1...2]
    var known = known
    switch metadata?.content {
    case .image(_, let width?, let height?): known = known ?? (width, height)
    case .image, nil: break
    default: return nil
    }
    guard axes.allSatisfy({ $0 < 0 || $0 > 1 }) else { return nil }
    isSizeAssumed = known == nil && axes.contains { $0 < 0 }
    size = known ?? (side, side)
    if let height = axes.first, height > 0 { size.height = height }
    if let width = axes.last, width > 0 { size.width = width }
  }

  /// Pixel values are divided by 255.
  static let zeroToOne = TensorMetadata.Normalization(mean: 0, std: 255)
  static let minusOneToOne = TensorMetadata.Normalization(mean: 127.5, std: 127.5)
  static let pixelValues = TensorMetadata.Normalization(mean: 0, std: 1)

  /// The whole image with a gray margin, as Ultralytics prepares it.
  static let letterbox = OrderedJSON.object([
    ("mode", .string("pad")),
    ("color", .object(["r", "g", "b"].map { ($0, .integer(114)) })),
    ("rounding", .string("ultralytics")),
  ])

  /// The whole image with a black margin, as `tf.image.resize_with_pad` prepares it.
  static let padLikeTensorFlow = OrderedJSON.object([
    ("mode", .string("pad")), ("rounding", .string("tensorflow")),
  ])
}

/// A draft of the field `decode` of an output.
struct DecoderDraft {
  let type: String
  /// The index of the output that has the field.
  let output: Int
  /// The indices of the other outputs that the decoder reads.
  var roles: [(key: String, output: Int)] = []
  var options: BundleDraft.Members = []
  var labels: [String]?
  var anchors: [[Float]]?
  /// Whether boxes are in pixels of the image; nil if the decoder knows.
  var isInPixels: Bool?
  /// Whether the model's values show ``isInPixels``.
  var unitsAreMeasured = false

  /// Decides the unit of boxes from the largest coordinate of a centre that a run gave.
  ///
  /// Boxes are all over the image, even an empty one, because each belongs to a cell of a grid.
  mutating func setUnits(largest: Float) {
    guard isInPixels != nil, largest > 0 else { return }
    isInPixels = largest > 2
    unitsAreMeasured = true
  }

  /// The value of the key `layout`.
  var layout: String? {
    if case .string(let layout)? = options.first(where: { $0.key == "layout" })?.value {
      layout
    } else {
      nil
    }
  }

  /// The indices of all outputs that the decoder reads.
  var outputs: Set<Int> { Set(roles.map(\.output)).union([output]) }

  /// Returns the field, with the names of the outputs and of the files in the assets folder.
  func json(names: [String], labels: String?, anchors: String?) -> OrderedJSON {
    var members: BundleDraft.Members = [("type", .string(type))]
    members += roles.map { ($0.key, .string(names[$0.output])) }
    if let anchors { members.append(("anchors", .string(anchors))) }
    members += options
    if let isInPixels { members.append(("units", .string(isInPixels ? "pixels" : "fractions"))) }
    if let labels { members.append(("labels", .string(labels))) }
    return .object(members)
  }
}
