// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TensorIO

struct PixelBufferTensorTests {
  private func read(
    _ values: [Float], _ denormalization: PixelDenormalization? = nil,
    format: ImageShape.Format = .rgb
  ) throws -> [UInt8] {
    let shape = ImageShape(height: 1, width: values.count / 3, format: format)
    let image = try PixelBuffer(
      reading: values.span.bytes, shape, denormalization, as: spec(.float32))
    #expect(image.format == .rgba)
    #expect(image.orientation == .up)
    return image.bytes
  }

  private func spec(_ dataType: DataType) -> TensorSpec {
    TensorSpec(name: "image", shape: [], dataType: dataType, kind: .bytes)
  }

  @Test func `floats are clamped and rounded, a NaN is 0`() throws {
    let nearlyHalf: Float = 0.49999997
    #expect(
      try read([
        -3, 0.4, 0.5, 254.5, 254.4, 300, .nan, .infinity, -.infinity, nearlyHalf, 127.5, 1.5,
      ]) == [0, 0, 1, 255, 255, 254, 255, 255, 0, 255, 0, 255, 0, 128, 2, 255])
  }

  @Test(arguments: [
    (PixelNormalization.zeroToOne, PixelDenormalization.zeroToOne),
    (.minusOneToOne, .minusOneToOne),
  ])
  func `every byte is unchanged after encoding and decoding`(
    _ normalization: PixelNormalization, _ denormalization: PixelDenormalization
  ) throws {
    let bytes = (0..<256).map { UInt8($0) }
    let gray = PixelBuffer(width: 256, height: 1, format: .gray, bytes: bytes)
    for format in [ImageShape.Format.rgb, .bgr] {
      var tensor = [Float](repeating: .nan, count: 768)
      var span = tensor.mutableSpan
      var memory = span.mutableBytes
      try ImageTransform(width: 256, height: 1).write(
        gray, into: &memory,
        as: PixelEncoding(format: format, element: .float32(normalization)))
      #expect(
        try read(tensor, denormalization, format: format) == bytes.flatMap { [$0, $0, $0, 255] })
    }
  }

  @Test func `BGR is decoded to RGB, and each colour has its bias`() throws {
    let denormalization = PixelDenormalization(
      scale: ColorValues(all: 2), bias: ColorValues(red: 10, green: 20, blue: 30))
    #expect(try read([1, 2, 3], denormalization, format: .bgr) == [26, 44, 62, 255])
    #expect(try read([1, 2, 3], denormalization) == [22, 44, 66, 255])
  }

  @Test(arguments: [ImageShape.Format.rgb, .bgr])
  func `bytes are read unchanged, and int8 plus 128`(_ format: ImageShape.Format) throws {
    let shape = ImageShape(height: 2, width: 1, format: format)
    let bytes: [UInt8] = [0, 128, 255, 1, 2, 3]
    let expected: [UInt8] =
      format == .rgb ? [0, 128, 255, 255, 1, 2, 3, 255] : [255, 128, 0, 255, 3, 2, 1, 255]
    let unsigned = try PixelBuffer(reading: bytes.span.bytes, shape, nil, as: spec(.uint8))
    #expect(unsigned.bytes == expected)
    let signed = bytes.map { Int8(Int($0) - 128) }
    let shifted = try PixelBuffer(reading: signed.span.bytes, shape, nil, as: spec(.int8))
    #expect(shifted.bytes == expected)
  }

  @Test func `a tensor that is too small is an error that names both sizes`() {
    let bytes = [UInt8](repeating: 0, count: 11)
    let error = #expect(throws: TensorIOError.self) {
      try PixelBuffer(
        reading: bytes.span.bytes, ImageShape(height: 2, width: 2), nil, as: spec(.uint8))
    }
    #expect(error?.code == .wrongElementCount)
    #expect(error?.message.contains("takes 12 bytes, but the tensor has 11") == true)
  }
}
