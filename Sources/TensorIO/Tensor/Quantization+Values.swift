// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

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
