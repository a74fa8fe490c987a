// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension TensorNumber {
  public func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
    try withUnsafePointer(to: self) { number in
      try NumberEncoder(spec: spec).encode(
        UnsafeBufferPointer(start: number, count: 1), into: &memory)
    }
  }

  public static func encode(
    elements: [Self], into memory: inout MutableRawSpan, as spec: TensorSpec
  ) throws {
    try elements.withUnsafeBufferPointer { numbers in
      try NumberEncoder(spec: spec).encode(numbers, into: &memory)
    }
  }
}

/// Writes numbers into a tensor: converted exactly, rounded, or quantized, depending on the spec.
struct NumberEncoder {
  let spec: TensorSpec

  /// Writes numbers; those that already have the tensor's type are copied.
  func encode<Number: TensorNumber>(
    _ numbers: UnsafeBufferPointer<Number>, into memory: inout MutableRawSpan
  ) throws {
    if spec.isImage {
      throw TensorIOError.wrongKind(spec, expected: "an image", found: Number.tensorKindName)
    }
    guard numbers.count * spec.dataType.byteWidth == memory.byteCount else {
      throw TensorIOError.wrongElementCount(spec, found: numbers.count, in: memory)
    }
    if let quantization = spec.quantization {
      return try quantize(quantization, numbers, into: &memory)
    }
    if Number.matchingDataType == spec.dataType { return memory.copy(from: numbers.span.bytes) }
    switch spec.dataType {
    case .float32: try convert(numbers, to: Float.self, into: &memory)
    case .uint8: try round(numbers, to: UInt8.self, into: &memory)
    case .int8: try round(numbers, to: Int8.self, into: &memory)
    case .int32: try convert(numbers, to: Int32.self, into: &memory)
    case .int64: try convert(numbers, to: Int64.self, into: &memory)
    case .float64: try convert(numbers, to: Double.self, into: &memory)
    case .float16: try convert(numbers, to: Float16.self, into: &memory)
    case .int16: try convert(numbers, to: Int16.self, into: &memory)
    case .uint16: try convert(numbers, to: UInt16.self, into: &memory)
    case .uint32: try convert(numbers, to: UInt32.self, into: &memory)
    case .bool: try convertToBool(numbers, into: &memory)
    case .string:
      throw TensorIOError.wrongKind(spec, expected: "text", found: Number.tensorKindName)
    }
  }

  @inline(__always)
  private func convert<Number: TensorNumber, Element: TensorNumber>(
    _ numbers: UnsafeBufferPointer<Number>, to type: Element.Type, into memory: inout MutableRawSpan
  ) throws {
    try memory.storeElements(of: Element.self) { index in
      guard let element = numbers[index].converted(to: Element.self) else {
        throw refusal(of: numbers[index], at: index)
      }
      return element
    }
  }

  /// Writes bytes that the program has quantized itself, as the documentation does with
  /// `0.1 * 255`.
  ///
  /// Fractions are rounded to the nearest integer.
  @inline(__always)
  private func round<Number: TensorNumber, Element: TensorNumber & FixedWidthInteger>(
    _ numbers: UnsafeBufferPointer<Number>, to type: Element.Type, into memory: inout MutableRawSpan
  ) throws {
    try memory.storeElements(of: Element.self) { index in
      let value = numbers[index]
      if let element = value.converted(to: Element.self) { return element }
      let rounded = value.float64.rounded(.toNearestOrAwayFromZero)
      guard let element = Element(exactly: rounded) else { throw refusal(of: value, at: index) }
      return element
    }
  }

  private func convertToBool<Number: TensorNumber>(
    _ numbers: UnsafeBufferPointer<Number>, into memory: inout MutableRawSpan
  ) throws {
    try memory.storeElements(of: UInt8.self) { index in
      let value = numbers[index]
      guard value == 0 || value == 1 else { throw refusal(of: value, at: index) }
      return value == 1 ? 1 : 0
    }
  }

  private func refusal<Number: TensorNumber>(of value: Number, at index: Int) -> TensorIOError {
    let reason: String
    switch spec.dataType {
    case .bool: reason = "a boolean is 0 or 1"
    case .float16, .float32, .float64:
      reason =
        Number.self is any FixedWidthInteger.Type
        ? "\(spec.dataType) can't represent that integer exactly; pass it as a floating-point "
          + "number to accept rounding"
        : "it is out of range"
    case .uint8 where !value.float64.isNaN: reason = "it is not between 0 and 255"
    case .int8 where !value.float64.isNaN: reason = "it is not between -128 and 127"
    default:
      if value.float64.isNaN {
        reason = "it is not a number"
        break
      }
      let isWhole = value.float64.rounded(.towardZero) == value.float64
      reason =
        isWhole && value.float64.isFinite
        ? "it is out of range" : "it is not a whole number; round it first"
    }
    // JSON's numbers are doubles, so a whole number is shown as 300 and not as 300.0.
    let isShort = value.float64.magnitude < 1e9
    let text = (isShort ? Int64(exactly: value.float64) : nil).map { "\($0)" } ?? "\(value)"
    return .unrepresentable(text, at: index, in: spec, because: reason)
  }

  // MARK: - Quantization

  /// Writes numbers as the integers of a quantized tensor.
  @inline(__always)
  private func quantize<Number: TensorNumber>(
    _ quantization: Quantization, _ numbers: UnsafeBufferPointer<Number>,
    into memory: inout MutableRawSpan
  ) throws {
    switch spec.dataType {
    case .uint8: try quantize(quantization, numbers, to: UInt8.self, into: &memory)
    case .int8: try quantize(quantization, numbers, to: Int8.self, into: &memory)
    case .int16: try quantize(quantization, numbers, to: Int16.self, into: &memory)
    case .int32: try quantize(quantization, numbers, to: Int32.self, into: &memory)
    default:
      throw TensorIOError(
        .wrongKind,
        "'\(spec.name)' is \(spec.dataType), but only integers can hold quantized values.")
    }
  }

  @inline(__always)
  private func quantize<Number: TensorNumber, Element: TensorNumber & FixedWidthInteger>(
    _ quantization: Quantization, _ numbers: UnsafeBufferPointer<Number>, to type: Element.Type,
    into memory: inout MutableRawSpan
  ) throws {
    switch quantization {
    case .linear(let scale, let bias):
      try memory.storeElements(of: Element.self) { index in
        let value = (numbers[index].float32 + bias) * scale
        guard !value.isNaN else { throw notANumber(at: index) }
        return value.clamped(to: Element.self)
      }
    case .model:
      guard let stored = spec.storedQuantization else {
        throw TensorIOError.withoutStoredQuantization(spec)
      }
      try memory.storeElements(of: Element.self) { index in
        let channel = stored.channel(of: spec.offset + index)
        let value = numbers[index].float32 / stored.scales[channel]
        guard !value.isNaN else { throw notANumber(at: index) }
        let shifted = value.rounded(.toNearestOrAwayFromZero) + Float(stored.zeroPoints[channel])
        return shifted.clamped(to: Element.self)
      }
    }
  }

  private func notANumber(at index: Int) -> TensorIOError {
    .unrepresentable("NaN", at: index, in: spec, because: "it has no quantized value")
  }
}

extension Float {
  /// Truncates the value and clamps it to an integer type's range; it must not be NaN.
  @inline(__always)
  func clamped<Element: TensorNumber & FixedWidthInteger>(to type: Element.Type) -> Element {
    let limit = Double(self).rounded(.towardZero)
    guard limit > Element.min.float64 else { return .min }
    if limit >= Element.max.float64 { return .max }
    // Only this type has numbers that `Int64` doesn't have.
    if Element.self == UInt64.self { return Element(truncatingIfNeeded: UInt64(limit)) }
    return Element(truncatingIfNeeded: Int64(limit))
  }
}
