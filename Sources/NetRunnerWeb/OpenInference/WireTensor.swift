// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import NIOCore
import TensorIO
import TensorIOImageCodecs

/// A tensor that a client sends or receives.
struct WireTensor: Sendable {
  let name: String
  let type: DataType
  let shape: [Int]
  let elements: WireElements

  private static let maximumRank = 16

  init(name: String, type: DataType, shape: [Int], elements: WireElements) throws {
    let count = try Self.elementCount(of: shape, name)
    guard elements.count == count else {
      throw WebError.badRequest(
        "'\(name)' has \(counted(elements.count, "element")), but its shape \(shape) needs "
          + "\(count).")
    }
    self.name = name
    self.type = type
    self.shape = shape
    self.elements = elements
  }

  static func elementCount(of shape: [Int], _ name: String) throws -> Int {
    var count = 1
    for length in shape {
      let (product, overflows) = count.multipliedReportingOverflow(by: length)
      guard length >= 0, !overflows, shape.count <= maximumRank else {
        throw WebError.badRequest(
          "'\(name)' has the invalid shape \(shape.prefix(20)).")
      }
      count = product
    }
    return count
  }
}

// MARK: - Inputs

extension WireTensor {
  /// Converts the tensor to a value for an input: pixels, an image file, numbers or strings.
  ///
  /// If the tensor has the model's own type and not the announced one, the value is the model's own
  /// elements.
  func value(for spec: TensorSpec, _ decoder: ImageDecoder) throws -> any TensorEncodable {
    if case .imageInput(let format, _) = spec.kind {
      if case .strings(let files) = elements {
        guard files.count == 1 else {
          throw WebError.badRequest(
            "'\(name)' takes exactly one image, but the request has \(files.count).")
        }
        return ImageFile(bytes: files[0], named: "'\(name)'", decoder: decoder)
      }
      if type == .uint8, case .numbers(let bytes as [UInt8]) = elements {
        return try image(bytes, isGray: format.format == .gray)
      }
    }
    guard type == spec.dataType || (type == spec.wireType && !spec.isImage) else {
      throw WebError.badRequest(
        "'\(name)' takes \(spec.acceptedTypes), not \(type.wireName).")
    }
    try checkShape(spec)
    switch elements {
    case .bools(let values): return values
    case .strings(let values): return TensorValue.strings(values)
    case .numbers(let list):
      // The model's own elements bypass model.json's quantization and preprocessing.
      return type == spec.wireType ? list : try list.tensor(shape)
    }
  }

  /// Requires the input's shape, ignoring axes of length 1.
  private func checkShape(_ spec: TensorSpec) throws {
    let expected = type == spec.wireType ? spec.wireShape : spec.rawWireShape
    guard shape.filter({ $0 != 1 }) == expected.filter({ $0 != 1 }) else {
      let rest = expected.dropFirst().map { ", \($0)" }.joined()
      let several = expected.first == 1 ? ", or [N\(rest)] for N items" : ""
      throw WebError.badRequest(
        "'\(name)' must have the shape \(expected)\(several), not \(shape).")
    }
  }

  /// Makes an image from pixels.
  ///
  /// The shape is [height, width, 3] or [1, height, width, 3], in the order red, green, blue. With
  /// one channel, the values are brightness.
  private func image(_ bytes: [UInt8], isGray: Bool) throws -> PixelBuffer {
    let sides = shape.count == 4 && shape[0] == 1 ? Array(shape.dropFirst()) : shape
    guard sides.count == 3, sides[0] > 0, sides[1] > 0, sides[2] == 3 || sides[2] == 1 else {
      throw WebError.badRequest(
        "'\(name)' is an image, so its shape must be [1, height, width, \(isGray ? 1 : 3)], not "
          + "\(shape).")
    }
    return PixelBuffer(
      width: sides[1], height: sides[0], format: sides[2] == 3 ? .rgb : .gray, bytes: bytes)
  }
}

// MARK: - Outputs

extension WireTensor {
  init(_ outputs: ModelOutputs, at index: Int) throws {
    let spec = outputs.specs[index]
    let elements: WireElements
    switch spec.kind {
    case _ where spec.dataType == .string:
      elements = .strings(try outputs.value(at: index))
    case .imageOutput, .imageInput:
      let image: PixelBuffer = try outputs.value(at: index)
      elements = .numbers(image.colors)
    case .classMap:
      let map: ClassMap = try outputs.value(at: index)
      elements = .numbers(map.classes)
    case .bytes:
      let data: Data = try outputs.value(at: index)
      elements = try WireElements(data, type: spec.wireType)
    case .vector, .scalar:
      if let number = spec.wireType.number {
        elements = .numbers(try Self.list(of: number, outputs, index))
      } else {
        elements = .bools(try outputs.value(at: index))
      }
    }
    // Use the model's own shape, or a flat one if the run decides how many elements there are.
    let shape = spec.wireShape.map { $0 == -1 ? 1 : $0 }
    let fits = shape.reduce(1, *) == elements.count
    try self.init(
      name: spec.name, type: spec.wireType, shape: fits ? shape : [elements.count],
      elements: elements)
  }

  private static func list<Number: WireNumber>(
    of _: Number.Type, _ outputs: ModelOutputs, _ index: Int
  ) throws -> any NumberList {
    try outputs.value(at: index) as [Number]
  }
}

extension PixelBuffer {
  /// Each pixel's red, green and blue, or its brightness.
  fileprivate var colors: [UInt8] {
    let offsets = format.colorOffsets
    let (width, height, stride) = (width, height, format.bytesPerPixel)
    let channels = format == .gray ? [0] : [offsets.red, offsets.green, offsets.blue]
    let bytes = withBytes { $0.withUnsafeBytes { Array($0) } }
    var colors: [UInt8] = []
    colors.reserveCapacity(width * height * channels.count)
    for y in 0..<height {
      for x in 0..<width {
        for channel in channels { colors.append(bytes[y * bytesPerRow + x * stride + channel]) }
      }
    }
    return colors
  }
}
#endif
