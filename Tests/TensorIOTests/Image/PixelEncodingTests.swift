// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import Testing

struct PixelEncodingTests {
  /// A gradient with different colours.
  private let image = PixelBuffer.sample(width: 8, height: 32)

  private func write<Element: BitwiseCopyable>(
    _ encoding: PixelEncoding, as type: Element.Type, zero: Element
  ) throws -> [Element] {
    var tensor = [Element](repeating: zero, count: image.width * image.height * 3)
    var span = tensor.mutableSpan
    var bytes = span.mutableBytes
    try ImageTransform(width: image.width, height: image.height)
      .write(image, into: &bytes, as: encoding)
    return tensor
  }

  /// The image's bytes in the tensor's order.
  private func bytes(_ format: ImageShape.Format) -> [UInt8] {
    image.converted(to: format == .rgb ? .rgb : .bgr).bytes
  }

  @Test(arguments: [ImageShape.Format.rgb, .bgr])
  func `bytes are written as they are`(_ format: ImageShape.Format) throws {
    let tensor = try write(PixelEncoding(format: format, element: .uint8), as: UInt8.self, zero: 0)
    #expect(tensor == bytes(format))
  }

  @Test(arguments: [ImageShape.Format.rgb, .bgr])
  func `floats without a normalization are between 0 and 255`(_ format: ImageShape.Format) throws {
    let encoding = PixelEncoding(format: format, element: .float32(nil))
    #expect(try write(encoding, as: Float.self, zero: .nan) == bytes(format).map { Float($0) })
  }

  @Test func `the limits of the standard ranges are exactly 0, 1 and -1`() throws {
    let white = PixelBuffer(
      width: 5, height: 1, format: .rgb, bytes: Array(repeating: 255, count: 12) + [0, 0, 0])
    for (normalization, low) in [
      (PixelNormalization.zeroToOne, Float(0)), (.minusOneToOne, -1),
    ] {
      var tensor = [Float](repeating: .nan, count: 15)
      var span = tensor.mutableSpan
      var bytes = span.mutableBytes
      try ImageTransform(width: 5, height: 1).write(
        white, into: &bytes, as: PixelEncoding(element: .float32(normalization)))
      #expect(tensor == Array(repeating: 1, count: 12) + [low, low, low])
    }
  }

  @Test(arguments: [ImageShape.Format.rgb, .bgr])
  func `each colour has its bias, which is added to the rounded product`(
    _ format: ImageShape.Format
  ) throws {
    let normalization = PixelNormalization(
      scale: 1 / 58.4, bias: ColorValues(red: -2.1, green: -2.0, blue: -1.8))
    let encoding = PixelEncoding(format: format, element: .float32(normalization))
    let biases: [Float] = format == .rgb ? [-2.1, -2.0, -1.8] : [-1.8, -2.0, -2.1]
    let expected = bytes(format).enumerated().map { index, byte in
      let product = normalization.scale.red * Float(byte)
      return product + biases[index % 3]
    }
    #expect(try write(encoding, as: Float.self, zero: .nan) == expected)
  }

  @Test(arguments: [ImageShape.Format.rgb, .bgr])
  func `a custom element is computed from byte and channel by its function`(
    _ format: ImageShape.Format
  ) throws {
    // The first channel becomes its negative, the second its triple, the third its square.
    let formulas: [@Sendable (Int) -> Int] = [{ -$0 }, { $0 * 3 }, { $0 * $0 }]
    let expected = bytes(format).enumerated().map { formulas[$0 % 3](Int($1)) }
    func check<Element: FixedWidthInteger & BitwiseCopyable & SendableMetatype>(
      _ type: Element.Type
    ) throws {
      let element = OtherElement(channels: 3) { value, channel in
        Element(truncatingIfNeeded: formulas[channel](Int(value)))
      }
      let encoding = PixelEncoding(format: format, element: .other(element))
      let tensor = try write(encoding, as: type, zero: 0)
      #expect(tensor == expected.map { Element(truncatingIfNeeded: $0) })
    }
    try check(Int8.self)
    try check(Int16.self)
    try check(Int32.self)
    try check(Int64.self)
  }
}
