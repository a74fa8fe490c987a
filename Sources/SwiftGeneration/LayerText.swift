// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Sentences about layers, for the documentation of generated types.
enum LayerText {
  static func numbers(_ layer: ModelManifest.Layer, _ count: Int, _ element: String) -> String {
    let type = layer.dataType.map { " of the type \($0)" } ?? ""
    if count == 1 { return "A number\(type)." }
    return "\(count) numbers\(type), shape \(layer.itemShape), row by row."
  }

  static func bytes(_ layer: ModelManifest.Layer) -> String {
    let type = layer.dataType.map { " of \($0) values" } ?? ""
    return "The bytes of a tensor\(type), shape \(layer.itemShape)."
  }

  /// What becomes of numbers that are passed; empty if they are written as they are.
  static func quantization(_ layer: ModelManifest.Layer) -> [String] {
    switch layer.quantization {
    case nil: []
    case .model: ["The tensor holds bytes, by the scale and zero point in the model."]
    case .linear(let scale, let bias): ["The tensor holds bytes: (x + \(bias)) * \(scale)."]
    }
  }

  /// What numbers were in the tensor; empty if they are read as they are.
  static func dequantization(_ layer: ModelManifest.Layer) -> [String] {
    switch layer.quantization {
    case nil: []
    case .model: ["They are computed of bytes, by the scale and zero point in the model."]
    case .linear(let scale, let bias): ["They are computed of bytes: q * \(scale) + \(bias)."]
    }
  }

  static func preprocessing(_ shape: ImageShape, _ preprocessing: ImagePreprocessing) -> String {
    let crop = preprocessing.crop
    let share = crop.fraction < 1 ? " of the middle \(crop.fraction)" : ""
    return [
      "The model sees \(shape.width) x \(shape.height) pixels, \(shape.format.rawValue)",
      "crop `\(crop.mode.rawValue)`\(share)", "resize `\(preprocessing.resize.rawValue)`",
      values(preprocessing.normalization, isGray: shape.format == .gray),
    ].joined(separator: ", ") + "."
  }

  private static func values(_ normalization: PixelNormalization?, isGray: Bool) -> String {
    func text(_ values: ColorValues) -> String {
      isGray ? "\(values.red)" : "(\(values.red), \(values.green), \(values.blue))"
    }
    switch normalization {
    case nil: return "values from 0 to 255"
    case .zeroToOne?: return "values from 0 to 1"
    case .minusOneToOne?: return "values from -1 to 1"
    case .some(let other):
      return "values v * \(text(other.scale)) + \(text(other.bias))"
    }
  }
}
