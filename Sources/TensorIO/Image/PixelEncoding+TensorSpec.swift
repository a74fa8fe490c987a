// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension PixelEncoding {
  /// How a picture's bytes become the elements of a layer.
  ///
  /// - Throws: ``TensorIOError`` when the layer's type cannot hold what the normalization gives.
  init(
    _ shape: ImageShape, _ normalization: PixelNormalization?, as spec: TensorSpec
  ) throws {
    switch spec.dataType {
    case .uint8: self.init(format: shape.format, element: .uint8)
    case .float32: self.init(format: shape.format, element: .float32(normalization))
    case .int8:
      self.init(
        format: shape.format,
        element: try Self.table { value, channel in
          guard let normalization else { return Int8(truncatingIfNeeded: Int(value) - 128) }
          guard let stored = spec.storedQuantization, stored.scales.count == 1 else {
            throw TensorIOError.withoutStoredQuantization(spec)
          }
          let real = normalization.apply(to: value, channel)
          let quantized = (real / stored.scales[0]).rounded(.toNearestOrAwayFromZero)
          return (quantized + Float(stored.zeroPoints[0])).clamped(to: Int8.self)
        })
    case .float16:
      self.init(format: shape.format, element: try Self.table(normalization, Float16.self))
    case .float64:
      self.init(format: shape.format, element: try Self.table(normalization, Double.self))
    case .int16, .uint16, .int32, .uint32, .int64:
      guard normalization == nil else {
        throw TensorIOError(
          .wrongKind,
          "'\(spec.name)' is \(spec.dataType), which cannot hold normalized pixels; remove "
            + "\"normalize\".")
      }
      self.init(format: shape.format, element: try Self.integers(spec.dataType))
    case .bool, .string:
      throw TensorIOError.wrongKind(
        spec, expected: "\(spec.dataType) values", found: PixelBuffer.tensorKindName)
    }
  }

  private static func integers(_ dataType: DataType) throws -> Element {
    switch dataType {
    case .int16, .uint16: try table { value, _ in UInt16(value) }
    case .int32, .uint32: try table { value, _ in UInt32(value) }
    default: try table { value, _ in UInt64(value) }
    }
  }

  private static func table<Number: TensorNumber & BinaryFloatingPoint>(
    _ normalization: PixelNormalization?, _ type: Number.Type
  ) throws -> Element {
    try table { value, channel in
      Number(normalization.map { $0.apply(to: value, channel) } ?? Float(value))
    }
  }

  /// A table of what every byte of every colour becomes.
  private static func table<Number: BitwiseCopyable>(
    _ element: (UInt8, Int) throws -> Number
  ) throws -> Element {
    var entries: [UInt8] = []
    entries.reserveCapacity(3 * 256 * MemoryLayout<Number>.size)
    for channel in 0..<3 {
      for value in 0...UInt8.max {
        withUnsafeBytes(of: try element(value, channel)) { entries.append(contentsOf: $0) }
      }
    }
    return .table(bytesPerElement: MemoryLayout<Number>.size, entries: entries)
  }
}

extension PixelNormalization {
  /// The number for a byte of red (0), green (1) or blue (2).
  fileprivate func apply(to value: UInt8, _ channel: Int) -> Float {
    scale * Float(value) + [bias.red, bias.green, bias.blue][channel]
  }
}

extension PixelBuffer {
  /// Reads a picture from a layer's bytes.
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
      // Rare types go through floats; int8 ones through the scale that the model stores.
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
