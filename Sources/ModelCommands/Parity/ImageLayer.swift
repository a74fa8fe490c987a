// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// An image input of a bundle, and what its model says of it.
struct ImageLayer {
  /// The layer with the model's type and quantization, where there is a model.
  let spec: TensorSpec
  /// The size, channels and axes.
  let shape: ImageShape
  /// How a picture is prepared.
  let preprocessing: ImagePreprocessing

  /// Finds the image input of a bundle.
  ///
  /// - Parameters:
  ///   - bundle: A bundle; of a placeholder, model.json alone counts.
  ///   - name: The input's name; nil where there is only one for images.
  /// - Throws: `TensorIOError` when there is no such input, or several; and what loading throws.
  init(of bundle: ModelBundle, named name: String?) throws {
    let signature = try ModelLoader(backends: Backends.all).makeModel(from: bundle).signature
    let images = signature.inputs.filter(\.isImage)
    let known = images.map { "'\($0.name)'" }.joined(separator: ", ")
    guard let first = images.first else {
      throw TensorIOError(
        .unknownInput, "'\(bundle.path)' has no image input; parity compares pictures.")
    }
    guard let name else {
      guard images.count == 1 else {
        throw TensorIOError(
          .missingInput,
          "'\(bundle.path)' has \(images.count) image inputs: pass --input with one of \(known).")
      }
      try self.init(first)
      return
    }
    guard let spec = images.first(where: { $0.name == name }) else {
      throw TensorIOError(
        .unknownInput,
        "'\(bundle.path)' has no image input '\(name)'; it has \(known).")
    }
    try self.init(spec)
  }

  /// Makes a layer of an image input's spec.
  init(_ spec: TensorSpec) throws {
    guard case .imageInput(let shape, let preprocessing) = spec.kind else {
      throw TensorIOError.wrongKind(spec, expected: "pictures", found: "no picture")
    }
    self.spec = spec
    self.shape = shape
    self.preprocessing = preprocessing
  }

  /// What the layer makes of a picture, as the model gets it.
  func tensor(of picture: PixelBuffer) throws -> Tensor {
    var bytes = [UInt8](repeating: 0, count: spec.byteCount)
    var span = bytes.mutableSpan
    var memory = span.mutableBytes
    try picture.encode(into: &memory, as: spec)
    return try Tensor(copying: bytes.span.bytes, dataType: spec.dataType, shape: spec.itemShape)
  }
}

extension ImageLayer {
  /// Whether the elements are whole pixels, so that fractions of the resize are rounded.
  var roundsPixels: Bool { !spec.dataType.isFloat && !usesStoredQuantization }

  /// Whether normalized values are quantized by the scale that the model stores.
  var usesStoredQuantization: Bool {
    spec.dataType == .int8 && preprocessing.normalization != nil
  }

  /// The normalization that counts; layers of whole pixels have none.
  var normalization: PixelNormalization? {
    spec.dataType.isFloat || usesStoredQuantization ? preprocessing.normalization : nil
  }

  /// What a step of one byte is in the tensor.
  var assumedScale: Double {
    let scale = Double((normalization?.scale ?? ColorValues(all: 1)).green)
    guard usesStoredQuantization, let stored = spec.storedQuantization?.scales.first else {
      return scale == 0 ? 1 : scale.magnitude
    }
    return (scale / Double(stored)).magnitude
  }

  /// By how much two tensors may differ and still be called equal: 0 for whole numbers, 1e-5 of
  /// the range of values for floats, 1e-3 for float16.
  var defaultTolerance: Double {
    guard spec.dataType.isFloat else { return 0 }
    let scale = normalization?.scale ?? ColorValues(all: 1)
    let largest = [scale.red, scale.green, scale.blue].map { Double($0.magnitude) }.max() ?? 1
    return (largest * 255).significant * (spec.dataType == .float16 ? 1e-3 : 1e-5)
  }
}
