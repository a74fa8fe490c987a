// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension NumberEncoder {
  /// Writes numbers as the integers of a quantized tensor.
  @inline(__always)
  func quantize<Number: TensorNumber>(
    _ quantization: Quantization, _ numbers: UnsafeBufferPointer<Number>,
    into memory: inout MutableRawSpan
  ) throws {
    guard numbers.count * spec.dataType.byteWidth == memory.byteCount else {
      throw TensorIOError.wrongElementCount(spec, found: numbers.count, in: memory)
    }
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
    if limit <= Element.min.float64 { return .min }
    if limit >= Element.max.float64 { return .max }
    return Element(truncatingIfNeeded: Int64(limit))
  }
}
