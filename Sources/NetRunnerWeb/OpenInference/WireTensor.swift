// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import TensorIO
import TensorIOImageCodecs

/// A tensor on its way from or to a client.
struct WireTensor: Sendable {
  let name: String
  let type: WireType
  let shape: [Int]
  let elements: Elements

  /// The elements in row-major order.
  enum Elements: Sendable {
    case bools([Bool])
    case integers([Int64])
    case floats([Float])
    case doubles([Double])
    case strings([Data])

    var count: Int {
      switch self {
      case .bools(let values): values.count
      case .integers(let values): values.count
      case .floats(let values): values.count
      case .doubles(let values): values.count
      case .strings(let values): values.count
      }
    }
  }

  /// The most axes that a tensor may have.
  private static let maximumRank = 16

  /// Makes a tensor.
  ///
  /// - Throws: ``WebError`` where the shape does not have as many elements as there are.
  init(name: String, type: WireType, shape: [Int], elements: Elements) throws {
    let count = try Self.elementCount(of: shape, name)
    guard elements.count == count else {
      throw WebError.badRequest(
        "'\(name)' has \(elements.count) elements, but its shape \(shape) has \(count).")
    }
    self.name = name
    self.type = type
    self.shape = shape
    self.elements = elements
  }

  /// How many elements a shape has.
  ///
  /// - Throws: ``WebError`` for a shape that no tensor has.
  static func elementCount(of shape: [Int], _ name: String) throws -> Int {
    var count = 1
    for length in shape {
      let (product, overflows) = count.multipliedReportingOverflow(by: length)
      guard length >= 0, !overflows, shape.count <= maximumRank else {
        throw WebError.badRequest(
          "'\(name)' has the shape \(shape.prefix(20)), which no tensor has.")
      }
      count = product
    }
    return count
  }
}

// MARK: - Values

extension WireTensor {
  /// The tensor as a value for an input.
  ///
  /// - Parameters:
  ///   - spec: The input.
  ///   - decoder: What reads pictures that are sent as files.
  /// - Returns: Pixels, a picture's file, numbers or texts.
  /// - Throws: ``WebError`` where the input takes something else.
  func value(for spec: TensorSpec, _ decoder: ImageDecoder) throws -> any TensorEncodable {
    if case .imageInput(let format, _) = spec.kind {
      if case .strings(let files) = elements {
        guard files.count == 1 else {
          throw WebError.badRequest("'\(name)' takes one picture, got \(files.count).")
        }
        return ImageFile(bytes: Array(files[0]), named: "'\(name)'", decoder: decoder)
      }
      if type == .uint8 { return try picture(isBGR: format.format == .bgr) }
    }
    switch elements {
    case .bools(let values): return values
    case .integers(let values):
      if spec.kind == .bytes, type == .uint8 {
        return Data(values.map(UInt8.init(truncatingIfNeeded:)))
      }
      return values
    case .floats(let values): return values
    case .doubles(let values): return values
    case .strings(let values): return TensorValue.strings(values)
    }
  }

  /// The pixels: [height, width, 3] or [1, height, width, 3] in the order red, green, blue; with one
  /// channel, brightness.
  private func picture(isBGR: Bool) throws -> PixelBuffer {
    let sides = shape.count == 4 && shape[0] == 1 ? Array(shape.dropFirst()) : shape
    guard case .integers(let values) = elements, sides.count == 3, sides[0] > 0, sides[1] > 0,
      sides[2] == 3 || sides[2] == 1
    else {
      throw WebError.badRequest(
        "'\(name)' is a picture: its shape is [1, height, width, 3], not \(shape).")
    }
    return PixelBuffer(
      width: sides[1], height: sides[0], format: sides[2] == 3 ? .rgb : .gray,
      bytes: values.map(UInt8.init(truncatingIfNeeded:)))
  }

  /// An output of a run.
  ///
  /// - Throws: `TensorIOError` when it cannot be read.
  init(_ outputs: ModelOutputs, at index: Int) throws {
    let spec = outputs.specs[index]
    let value: TensorValue = try outputs.value(at: index)
    let elements: Elements =
      switch value {
      case .number(let number): Self.elements([number])
      case .numbers(let numbers): Self.elements(numbers)
      case .labels(let classification): .floats(classification.map(\.value))
      case .bytes(let data, let type):
        try Self.elements(ByteBuffer(bytes: data), of: WireType(type))
      case .strings(let strings): .strings(strings)
      case .image(let picture): .integers(picture.colors)
      case .classMap(let map): .integers(map.classes.map(Int64.init))
      case .tensor, .list:
        throw TensorIOError(
          .wrongOutputType, "The output '\(spec.name)' is of a kind that cannot be sent.")
      }
    // The model's own shape, or a flat one where a run decides how much there is.
    let shape = spec.wireShape.map { $0 == -1 ? 1 : $0 }
    let fits = shape.reduce(1, *) == elements.count
    try self.init(
      name: spec.name, type: spec.wireType, shape: fits ? shape : [elements.count],
      elements: elements)
  }

  private static func elements(_ numbers: [TensorValue.Number]) -> Elements {
    switch numbers.first {
    case .integer?:
      .integers(numbers.map { if case .integer(let value) = $0 { value } else { 0 } })
    case .double?: .doubles(numbers.map { if case .double(let value) = $0 { value } else { .nan } })
    case .bool?: .bools(numbers.map { if case .bool(let value) = $0 { value } else { false } })
    case .float?, nil:
      .floats(numbers.map { if case .float(let value) = $0 { value } else { .nan } })
    }
  }
}

extension PixelBuffer {
  /// Red, green and blue, or brightness, of each pixel.
  fileprivate var colors: [Int64] {
    let offsets = format.colorOffsets
    let (width, height, stride) = (width, height, format.bytesPerPixel)
    let channels = format == .gray ? [0] : [offsets.red, offsets.green, offsets.blue]
    let bytes = withBytes { $0.withUnsafeBytes { Array($0) } }
    return (0..<height).flatMap { y in
      (0..<width).flatMap { x in
        channels.map { Int64(bytes[y * bytesPerRow + x * stride + $0]) }
      }
    }
  }
}
