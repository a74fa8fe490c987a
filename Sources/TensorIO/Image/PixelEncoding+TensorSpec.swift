// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension PixelEncoding {
  /// Makes the encoding of an image for a layer.
  ///
  /// - Throws: ``TensorIOError`` when the layer's type cannot hold the normalized values.
  package init(
    _ shape: ImageShape, _ normalization: PixelNormalization?, as spec: TensorSpec
  ) throws {
    self.init(
      format: shape.format, layout: shape.layout,
      element: try Self.element(shape.format, normalization, spec))
  }

  private static func element(
    _ format: ImageShape.Format, _ normalization: PixelNormalization?, _ spec: TensorSpec
  ) throws -> Element {
    let channels = format.channels
    switch spec.dataType {
    case .uint8: return .uint8
    case .float32: return .float32(normalization)
    case .int8:
      guard let normalization else {
        return other(channels) { value, _ in
          Int8(clamping: Int(value.rounded(.toNearestOrEven)) - 128)
        }
      }
      guard let stored = spec.storedQuantization, stored.scales.count == 1 else {
        throw TensorIOError.withoutStoredQuantization(spec)
      }
      let (scale, zeroPoint) = (stored.scales[0], Float(stored.zeroPoints[0]))
      let real = function(normalization, format)
      return other(channels) { value, channel in
        let quantized = (real(value, channel) / scale).rounded(.toNearestOrAwayFromZero)
        return (quantized + zeroPoint).clamped(to: Int8.self)
      }
    case .float16:
      let real = function(normalization, format)
      return other(channels) { Float16(real($0, $1)) }
    case .float64:
      let real = function(normalization, format)
      return other(channels) { Double(real($0, $1)) }
    case .int16, .uint16, .int32, .uint32, .int64:
      guard normalization == nil else {
        throw TensorIOError(
          .wrongKind,
          "'\(spec.name)' is \(spec.dataType), which cannot hold normalized pixels; remove "
            + "\"normalize\".")
      }
      switch spec.dataType {
      case .int16, .uint16: return other(channels) { value, _ in UInt16(whole(value)) }
      case .int32, .uint32: return other(channels) { value, _ in UInt32(whole(value)) }
      default: return other(channels) { value, _ in UInt64(whole(value)) }
      }
    case .bool, .string:
      throw TensorIOError.wrongKind(
        spec, expected: "\(spec.dataType) values", found: PixelBuffer.tensorKindName)
    }
  }

  private static func other<Number: BitwiseCopyable>(
    _ channels: Int, _ element: @escaping @Sendable (Float, Int) -> Number
  ) -> Element {
    .other(OtherElement(channels: channels, element))
  }

  /// Rounds a value to a byte, clamped to 0...255.
  private static func whole(_ value: Float) -> UInt8 {
    UInt8(min(max(value.rounded(.toNearestOrEven), 0), 255))
  }

  /// Returns the normalization as a function of a value and a channel, counted in the tensor's
  /// order.
  private static func function(
    _ normalization: PixelNormalization?, _ format: ImageShape.Format
  ) -> @Sendable (Float, Int) -> Float {
    guard let normalization else { return { value, _ in value } }
    let scales = normalization.scale.ordered(format)
    let biases = normalization.bias.ordered(format)
    return { scales[$1] * $0 + biases[$1] }
  }
}

extension PixelBuffer {
  /// Reads an image from a layer's bytes.
  init(
    reading bytes: RawSpan, _ shape: ImageShape, _ denormalization: PixelDenormalization?,
    as spec: TensorSpec
  ) throws {
    switch spec.dataType {
    case .uint8: try self.init(reading: bytes, shape: shape, element: .uint8)
    case .int8 where denormalization == nil:
      try self.init(reading: bytes, shape: shape, element: .int8)
    case .float32:
      try self.init(reading: bytes, shape: shape, element: .float32(denormalization))
    default:
      // Rare types are converted to floats first; int8 is dequantized by the scale stored in the
      // model.
      let numbers = TensorSpec(
        name: spec.name, shape: spec.shape, dataType: spec.dataType,
        kind: .vector(spec.dataType == .int8 ? .model : nil, labels: nil),
        storedQuantization: spec.storedQuantization)
      let floats = try [Float].decode(bytes, as: numbers)
      try self.init(
        reading: floats.span.bytes, shape: shape, element: .float32(denormalization))
    }
  }
}
