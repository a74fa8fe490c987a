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

  @inline(__always)
  func channel(of index: Int) -> Int {
    scales.count == 1 ? 0 : (index / elementsPerScale) % scales.count
  }
}

extension Quantization {
  /// Returns the byte that a number becomes in a quantized input layer.
  ///
  /// Layers quantize a program's values in the same way. This method is for programs that inspect a
  /// byte or fill `Data` themselves.
  ///
  /// ```swift
  /// try Quantization.zeroToOne.quantize(0.5)       // 127
  /// try Quantization.minusOneToOne.quantize(-1)    // 0
  /// ```
  ///
  /// - Parameters:
  ///   - number: The number. It is clamped if it is outside the range of the quantization.
  ///   - type: The layer's integer type.
  ///   - stored: The model's own scale and zero point, which ``model`` needs.
  /// - Returns: `(number + bias) * scale`, clamped to the type's range and truncated. For
  ///   ``model``, `number / scale + zeroPoint`, rounded to nearest and clamped.
  /// - Throws: ``TensorIOError`` with the code `.unrepresentableValue` for NaN, and with
  ///   `.invalidOption` for ``model`` without a scale and zero point.
  public func quantize<Integer: TensorNumber & FixedWidthInteger>(
    _ number: Float, as type: Integer.Type = UInt8.self, stored: StoredQuantization? = nil
  ) throws -> Integer {
    let value: Float
    switch self {
    case .linear(let scale, let bias): value = (number + bias) * scale
    case .model:
      let (scale, zeroPoint) = try Self.single(stored)
      value = (number / scale).rounded(.toNearestOrAwayFromZero) + Float(zeroPoint)
    }
    guard !value.isNaN else {
      throw TensorIOError(.unrepresentableValue, "\(number) has no quantized value.")
    }
    return value.clamped(to: Integer.self)
  }

  /// Returns the number that a byte of a quantized output layer stands for.
  ///
  /// ```swift
  /// try Quantization.toZeroToOne.dequantize(UInt8(255))    // 1
  /// ```
  ///
  /// - Parameters:
  ///   - integer: The layer's byte, or an integer of another type that layers have.
  ///   - stored: The model's own scale and zero point, which ``model`` needs.
  /// - Returns: `integer * scale + bias`. For ``model``, `(integer - zeroPoint) * scale`.
  /// - Throws: ``TensorIOError`` with the code `.invalidOption` for ``model`` without a scale and
  ///   zero point.
  public func dequantize<Integer: TensorNumber & FixedWidthInteger>(
    _ integer: Integer, stored: StoredQuantization? = nil
  ) throws -> Float {
    switch self {
    case .linear(let scale, let bias): return integer.float32 * scale + bias
    case .model:
      let (scale, zeroPoint) = try Self.single(stored)
      return Float(integer.float64 - Double(zeroPoint)) * scale
    }
  }

  /// Returns the scale and zero point for a value that belongs to no channel.
  private static func single(
    _ stored: StoredQuantization?
  ) throws -> (scale: Float, zeroPoint: Int64) {
    guard let stored, stored.scales.count == 1 else {
      throw TensorIOError(
        .invalidOption,
        "The quantization \"model\" needs the model's scale and zero point, got "
          + (stored.map { "\($0.scales.count), one for each channel" } ?? "none")
          + ". Pass a StoredQuantization with a single scale, such as the "
          + "storedQuantization of a TensorSpec.")
    }
    return (stored.scales[0], stored.zeroPoints[0])
  }
}
