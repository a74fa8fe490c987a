// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension TensorNumber {
  public static func decode(_ bytes: RawSpan, as spec: TensorSpec) throws -> Self {
    let count = bytes.byteCount / max(spec.dataType.byteWidth, 1)
    guard count == 1 else {
      throw TensorIOError.wrongOutputType(
        spec, "\(Self.self)", because: "it holds \(count) values; read it as [\(Self.self)]")
    }
    // A fast path for the common case, which needs no array for one number.
    if Self.matchingDataType == spec.dataType && spec.quantization == nil {
      return bytes.unsafeLoadUnaligned(as: Self.self)
    }
    return try decodeElements(bytes, as: spec)[0]
  }

  public static func decodeElements(_ bytes: RawSpan, as spec: TensorSpec) throws -> [Self] {
    try NumberDecoder(spec: spec).decode(bytes, as: Self.self)
  }
}

/// Reads numbers from a tensor, dequantizes them if the spec says so, and converts them exactly or
/// by rounding.
struct NumberDecoder {
  let spec: TensorSpec

  @inline(__always)
  func decode<Number: TensorNumber>(_ bytes: RawSpan, as type: Number.Type) throws -> [Number] {
    if let quantization = spec.quantization {
      return try dequantize(quantization, bytes, as: Number.self)
    }
    switch spec.dataType {
    case .float32: return try convert(bytes, from: Float.self, to: Number.self)
    case .uint8: return try convert(bytes, from: UInt8.self, to: Number.self)
    case .int8: return try convert(bytes, from: Int8.self, to: Number.self)
    case .int32: return try convert(bytes, from: Int32.self, to: Number.self)
    case .int64: return try convert(bytes, from: Int64.self, to: Number.self)
    case .float64: return try convert(bytes, from: Double.self, to: Number.self)
    case .float16: return try convert(bytes, from: Float16.self, to: Number.self)
    case .int16: return try convert(bytes, from: Int16.self, to: Number.self)
    case .uint16: return try convert(bytes, from: UInt16.self, to: Number.self)
    case .uint32: return try convert(bytes, from: UInt32.self, to: Number.self)
    case .bool: return try convert(bytes, from: UInt8.self, to: Number.self)
    case .string:
      throw TensorIOError.wrongOutputType(spec, "\(Number.self)", because: "it holds text")
    }
  }

  @inline(__always)
  private func convert<Element: TensorNumber, Number: TensorNumber>(
    _ bytes: RawSpan, from source: Element.Type, to type: Number.Type
  ) throws -> [Number] {
    try bytes.mapElements(of: Element.self) { element, index in
      guard let number = element.converted(to: Number.self) else {
        throw refusal(of: "\(element)", at: index, as: "\(Number.self)")
      }
      return number
    }
  }

  @inline(__always)
  private func dequantize<Number: TensorNumber>(
    _ quantization: Quantization, _ bytes: RawSpan, as type: Number.Type
  ) throws -> [Number] {
    switch spec.dataType {
    case .uint8: return try dequantize(quantization, bytes, from: UInt8.self, as: Number.self)
    case .int8: return try dequantize(quantization, bytes, from: Int8.self, as: Number.self)
    case .int16: return try dequantize(quantization, bytes, from: Int16.self, as: Number.self)
    case .int32: return try dequantize(quantization, bytes, from: Int32.self, as: Number.self)
    default:
      throw TensorIOError(
        .wrongKind, "'\(spec.name)' is \(spec.dataType), which is not a quantized type.")
    }
  }

  @inline(__always)
  private func dequantize<Element: TensorNumber, Number: TensorNumber>(
    _ quantization: Quantization, _ bytes: RawSpan, from source: Element.Type,
    as type: Number.Type
  ) throws -> [Number] {
    switch quantization {
    case .linear(let scale, let bias):
      return try bytes.mapElements(of: Element.self) { element, index in
        try number(element.float32 * scale + bias, at: index)
      }
    case .model:
      guard let stored = spec.storedQuantization else {
        throw TensorIOError.withoutStoredQuantization(spec)
      }
      return try bytes.mapElements(of: Element.self) { element, index in
        let channel = stored.channel(of: index)
        let shifted = element.float64 - Double(stored.zeroPoints[channel])
        return try number(Float(shifted) * stored.scales[channel], at: index)
      }
    }
  }

  @inline(__always)
  private func number<Number: TensorNumber>(_ value: Float, at index: Int) throws -> Number {
    guard let number: Number = value.converted(to: Number.self) else {
      throw refusal(of: "\(value)", at: index, as: "\(Number.self)")
    }
    return number
  }

  private func refusal(of value: String, at index: Int, as type: String) -> TensorIOError {
    let wider =
      switch spec.dataType {
      case _ where spec.quantization != nil: "Float or Double"
      case .float16, .float32: "Float or Double"
      case .float64: "Double"
      default: "Int64"
      }
    return TensorIOError(
      .wrongOutputType,
      "'\(spec.name)' holds \(value) at index \(index), which \(type) cannot represent exactly; "
        + "read it as \(wider).")
  }
}

extension TensorIOError {
  static func withoutStoredQuantization(_ spec: TensorSpec) -> TensorIOError {
    TensorIOError(
      .invalidModel,
      "'\(spec.name)' is quantized with the model's own scale, but the model has none for it.")
  }
}
