// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

package typealias ImageSize = (width: Int, height: Int)

/// An image input of a bundle, with what its model says about it.
package struct ImageLayer {
  /// The layer, with the model's type and quantization if there is a model.
  let spec: TensorSpec
  let shape: ImageShape
  let preprocessing: ImagePreprocessing

  package var size: ImageSize { (shape.width, shape.height) }

  /// Finds the image input of a bundle, which needs no name if it is the only one.
  ///
  /// For a placeholder, only model.json is used.
  package init(of bundle: ModelBundle, named name: String?, backends: [any Backend]) throws {
    let signature = try ModelLoader(backends: backends).makeModel(from: bundle).loadSignature()
    let images = signature.inputs.filter(\.isImage)
    let known = images.map { "'\($0.name)'" }.joined(separator: ", ")
    guard !images.isEmpty else {
      throw TensorIOError(
        .unknownInput,
        "'\(bundle.path)' has no image input and no audio input. parity compares images and recordings."
      )
    }
    guard name != nil || images.count == 1 else {
      throw TensorIOError(
        .missingInput,
        "'\(bundle.path)' has \(images.count) image inputs. Pass --input with one of \(known).")
    }
    guard let spec = images.first(where: { name == nil || $0.name == name }) else {
      throw TensorIOError(
        .unknownInput,
        "'\(bundle.path)' has no image input '\(name ?? "")'; it has \(known).")
    }
    try self.init(spec)
  }

  init(_ spec: TensorSpec) throws {
    guard case .imageInput(let shape, let preprocessing) = spec.kind else {
      throw TensorIOError.wrongKind(spec, expected: "images", found: "no image")
    }
    self.spec = spec
    self.shape = shape
    self.preprocessing = preprocessing
  }

  /// Returns the tensor that the model gets for an image.
  package func tensor(of image: PixelBuffer) throws -> Tensor {
    var bytes = [UInt8](repeating: 0, count: spec.byteCount)
    var span = bytes.mutableSpan
    var memory = span.mutableBytes
    try image.encode(into: &memory, as: spec)
    return try Tensor(copying: bytes.span.bytes, dataType: spec.dataType, shape: spec.itemShape)
  }
}

extension ImageLayer {
  /// Whether the elements are whole pixels, so that fractions from the resize are rounded.
  var roundsPixels: Bool { !spec.dataType.isFloat && !usesStoredQuantization }

  /// Whether normalized values are quantized with the scale that the model stores.
  var usesStoredQuantization: Bool {
    spec.dataType == .int8 && preprocessing.normalization != nil
  }

  /// The normalization that is applied; nil for layers of whole pixels.
  var normalization: PixelNormalization? {
    spec.dataType.isFloat || usesStoredQuantization ? preprocessing.normalization : nil
  }

  /// The size of a step of one byte in the tensor.
  var assumedScale: Double {
    let scale = Double((normalization?.scale ?? ColorValues(all: 1)).green)
    guard usesStoredQuantization, let stored = spec.storedQuantization?.scales.first else {
      return scale == 0 ? 1 : scale.magnitude
    }
    return (scale / Double(stored)).magnitude
  }

  /// The default tolerance, which is the largest difference between elements that count as equal.
  ///
  /// It is 0 for whole numbers. For floats it is 1e-5 of the range of values, and for float16 it is
  /// 1e-3 of that range.
  var defaultTolerance: Double {
    guard spec.dataType.isFloat else { return 0 }
    let scale = normalization?.scale ?? ColorValues(all: 1)
    let largest = [scale.red, scale.green, scale.blue].map { Double($0.magnitude) }.max() ?? 1
    return (largest * 255).significant * (spec.dataType == .float16 ? 1e-3 : 1e-5)
  }
}
