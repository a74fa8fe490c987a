// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The layout of an image tensor: the order of its channels and axes, and the kind of its elements.
package struct PixelEncoding: Sendable {
  /// The order of the channels in the tensor.
  package var format: ImageShape.Format
  /// The order of the tensor's axes.
  package var layout: ImageShape.Layout
  /// How a channel's value becomes an element.
  package var element: Element

  package init(
    format: ImageShape.Format = .rgb, layout: ImageShape.Layout = .channelsLast, element: Element
  ) {
    self.format = format
    self.layout = layout
    self.element = element
  }

  /// How a channel's value becomes an element.
  ///
  /// Values are bytes, or floats from 0 to 255.
  package enum Element: Sendable {
    /// The byte itself; a float is rounded to one.
    case uint8
    /// A float; without a normalization, the value itself.
    case float32(PixelNormalization?)
    /// The result of a function, for every type that is too rare for a kernel of its own.
    case other(OtherElement)
  }

  package var bytesPerElement: Int {
    switch element {
    case .uint8: 1
    case .float32: 4
    case .other(let element): element.byteCount
    }
  }

  /// The factors and addends for the values of a row with three values per pixel.
  func rowNormalization(values: Int) -> (scales: [Float], biases: [Float]) {
    guard case .float32(let normalization) = element else { return ([], []) }
    let scales = (normalization?.scale ?? ColorValues(all: 1)).ordered(format)
    let biases = (normalization?.bias ?? ColorValues()).ordered(format)
    let channels = scales.count
    return (
      (0..<values).map { scales[$0 % channels] }, (0..<values).map { biases[$0 % channels] }
    )
  }
}

/// The elements of a type without a kernel: a function, and a table of its results for all bytes.
package struct OtherElement: Sendable {
  /// The size of an element: 1, 2, 4 or 8 bytes.
  package let byteCount: Int
  /// Writes the element for a value of a channel, counted in the tensor's order, to an address.
  let convert: @Sendable (Float, Int, UnsafeMutableRawPointer) -> Void
  /// 256 entries for each channel, stored as the tensor holds them.
  private let table: [UInt8]

  /// Makes the elements from a function of a value and a channel, counted in the tensor's order.
  package init<Number: BitwiseCopyable>(
    channels: Int, _ element: @escaping @Sendable (Float, Int) -> Number
  ) {
    byteCount = MemoryLayout<Number>.size
    convert = { $2.storeBytes(of: element($0, $1), as: Number.self) }
    var table: [UInt8] = []
    for channel in 0..<channels {
      for value in 0...UInt8.max {
        withUnsafeBytes(of: element(Float(value), channel)) { table.append(contentsOf: $0) }
      }
    }
    self.table = table
  }

  /// Writes the elements for one channel of interleaved pixels with three bytes each, `step`
  /// elements apart.
  func write(
    _ values: UnsafePointer<UInt8>, count: Int, _ channel: Int,
    to target: UnsafeMutableRawPointer, step: Int
  ) {
    table.withUnsafeBytes { table in
      let entries = UnsafeRawBufferPointer(rebasing: table[(channel * 256 * byteCount)...])
      switch byteCount {
      case 1: look(values, count: count, in: entries, to: target, step: step, as: UInt8.self)
      case 2: look(values, count: count, in: entries, to: target, step: step, as: UInt16.self)
      case 4: look(values, count: count, in: entries, to: target, step: step, as: UInt32.self)
      default: look(values, count: count, in: entries, to: target, step: step, as: UInt64.self)
      }
    }
  }

  @inline(__always)
  private func look<Element: BitwiseCopyable>(
    _ values: UnsafePointer<UInt8>, count: Int, in entries: UnsafeRawBufferPointer,
    to target: UnsafeMutableRawPointer, step: Int, as type: Element.Type
  ) {
    guard let entries = entries.baseAddress else { return }
    let size = MemoryLayout<Element>.size
    for index in 0..<count {
      let entry = Int(values[index &* 3]) &* size
      target.storeBytes(
        of: entries.loadUnaligned(fromByteOffset: entry, as: type),
        toByteOffset: index &* step &* size, as: type)
    }
  }
}

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
