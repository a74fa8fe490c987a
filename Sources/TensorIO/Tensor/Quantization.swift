// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Converts numbers to the bytes of a quantized layer, and bytes to numbers.
///
/// It is the `quantize` and `dequantize` fields of model.json.
public enum Quantization: Hashable, Sendable {
  /// A linear quantization in float32: inputs become `(x + bias) * scale`, outputs
  /// `q * scale + bias`.
  ///
  /// The result for an input is clamped to the layer's range and then truncated, so that 0.5 with
  /// ``zeroToOne`` is 127, as the format has always documented. NaN is an error.
  case linear(scale: Float, bias: Float)
  /// The scale and zero point stored in the model itself, which may differ for each channel.
  ///
  /// An input becomes `x / scale + zeroPoint`, rounded to nearest and clamped. An output becomes
  /// `(q - zeroPoint) * scale`.
  case model

  /// Converts 0...1 to 0...255: `x * 255`.
  public static var zeroToOne: Quantization { .linear(scale: 255, bias: 0) }
  /// Converts -1...1 to 0...255: `(x + 1) * 127.5`.
  public static var minusOneToOne: Quantization { .linear(scale: 127.5, bias: 1) }
  /// Converts 0...255 to 0...1: `q / 255`.
  public static var toZeroToOne: Quantization { .linear(scale: 1 / 255, bias: 0) }
  /// Converts 0...255 to -1...1: `q * 2 / 255 - 1`.
  public static var toMinusOneToOne: Quantization { .linear(scale: 2 / 255, bias: -1) }
}

/// The scale and zero point that a quantized model stores with a tensor.
///
/// A real number is `(q - zeroPoint) * scale`.
public struct StoredQuantization: Hashable, Sendable, Codable {
  /// One scale, or one for each index of an axis.
  public var scales: [Float]
  /// One zero point for each scale.
  public var zeroPoints: [Int64]
  /// The axis of the tensor that the scales run along; nil when a single scale is used.
  public var axis: Int?
  /// The number of consecutive elements that share a scale: the product of the lengths after
  /// ``axis``.
  ///
  /// It refers to the tensor's own shape, which a layer may describe differently.
  public var elementsPerScale: Int

  /// Makes a quantization from the same number of scales and zero points.
  public init(
    scales: [Float], zeroPoints: [Int64], axis: Int? = nil, elementsPerScale: Int = 1
  ) {
    precondition(
      !scales.isEmpty && scales.count == zeroPoints.count, "Every scale needs a zero point.")
    precondition(elementsPerScale > 0, "Every scale must apply to at least one element.")
    self.scales = scales
    self.zeroPoints = zeroPoints
    self.axis = axis
    self.elementsPerScale = elementsPerScale
  }

  /// Returns the index of an element's scale.
  @inline(__always)
  func channel(of index: Int) -> Int {
    scales.count == 1 ? 0 : (index / elementsPerScale) % scales.count
  }
}
