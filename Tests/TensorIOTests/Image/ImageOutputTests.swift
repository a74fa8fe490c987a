// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import TensorIO

/// Compares images from tensors of every kind with independently written formulas.
@Suite struct ImageOutputTests {
  private static let width = 3
  private static let height = 2
  private static let pixels = width * height

  /// A way to describe an image output.
  struct Output: Sendable, CustomTestStringConvertible {
    let format: ImageShape.Format
    let layout: ImageShape.Layout
    let denormalization: PixelDenormalization?

    static let all: [Output] = ImageShape.Format.allCases.flatMap { format in
      ImageShape.Layout.allCases.flatMap { layout in
        let gray = PixelDenormalization(
          scale: ColorValues(all: 100), bias: ColorValues(all: 0.25))
        let colors = PixelDenormalization(
          scale: ColorValues(red: 100, green: 60, blue: 30),
          bias: ColorValues(red: 0.1, green: 0.5, blue: 1.5))
        let own = format == .gray ? gray : colors
        return [nil, .zeroToOne, .minusOneToOne, own].map {
          Output(format: format, layout: layout, denormalization: $0)
        }
      }
    }

    var testDescription: String {
      let values = denormalization.map { "\($0.scale), \($0.bias)" } ?? "0...255"
      return "\(format.rawValue) \(layout.rawValue) \(values)"
    }

    func spec(_ dataType: DataType, _ stored: StoredQuantization? = nil) -> TensorSpec {
      let shape = ImageShape(
        height: ImageOutputTests.height, width: ImageOutputTests.width, format: format,
        layout: layout)
      return TensorSpec(
        name: "x", shape: shape.axes, dataType: dataType,
        kind: .imageOutput(shape, denormalization), storedQuantization: stored)
    }

    /// The index of the tensor's element for a colour (0 is red) of a pixel.
    func index(_ pixel: Int, _ color: Int) -> Int {
      if format == .gray { return pixel }
      let channel = format == .rgb ? color : 2 - color
      return layout == .channelsLast
        ? pixel * 3 + channel : channel * ImageOutputTests.pixels + pixel
    }

    func denormalized(_ value: Float, _ color: Int) -> UInt8 {
      var result = value
      if let denormalization {
        let (scale, bias) = (denormalization.scale, denormalization.bias)
        result += [bias.red, bias.green, bias.blue][color]
        result *= [scale.red, scale.green, scale.blue][color]
      }
      return UInt8(min(max(result, 0), 255).rounded(.toNearestOrAwayFromZero))
    }

    /// The bytes of the image for these elements, by a formula for each element and colour.
    func image<Element>(_ elements: [Element], _ byte: (Element, Int) -> UInt8) -> [UInt8] {
      (0..<ImageOutputTests.pixels).flatMap { pixel in
        format == .gray
          ? [byte(elements[pixel], 0)]
          : (0..<3).map { byte(elements[index(pixel, $0)], $0) } + [255]
      }
    }

    func check<Element: BitwiseCopyable>(
      _ elements: [Element], as spec: TensorSpec, _ byte: (Element, Int) -> UInt8
    ) throws {
      let image = try PixelBuffer.decoded(elements, as: spec)
      #expect(image.width == ImageOutputTests.width && image.height == ImageOutputTests.height)
      #expect(image.format == (format == .gray ? .gray : .rgba))
      #expect(image.orientation == .up)
      #expect(image.bytes == self.image(elements, byte))
    }
  }

  /// As many values as the largest image has, which cover the range and go beyond both of its ends.
  private static func floats(_ output: Output) -> [Float] {
    let scale: Float = output.denormalization == nil ? 20 : 0.12
    return (0..<(pixels * output.format.channels)).map { Float($0 * 7 % 19) * scale - scale * 3 }
  }

  private static func bytes(_ output: Output) -> [UInt8] {
    (0..<(pixels * output.format.channels)).map { UInt8($0 * 53 % 256) }
  }

  @Test(arguments: Output.all) func `floats are denormalized`(_ output: Output) throws {
    let values = Self.floats(output)
    try output.check(values, as: output.spec(.float32), output.denormalized)
    try output.check(values.map(Double.init), as: output.spec(.float64)) {
      output.denormalized(Float($0), $1)
    }
    try output.check(values.map { Float16($0) }, as: output.spec(.float16)) {
      output.denormalized(Float($0), $1)
    }
  }

  @Test(arguments: Output.all) func `bytes are unchanged`(_ output: Output) throws {
    try output.check(Self.bytes(output), as: output.spec(.uint8)) { value, _ in value }
    let stored = StoredQuantization(scales: [1 / 127.5], zeroPoints: [128])
    try output.check(Self.bytes(output), as: output.spec(.uint8, stored)) { value, _ in value }
  }

  @Test(arguments: Output.all) func `signed bytes are shifted by 128, or dequantized`(
    _ output: Output
  ) throws {
    let values = Self.bytes(output).map { Int8(bitPattern: $0) }
    let (scale, zeroPoint) = (Float(0.011), Float(-7))
    let stored = StoredQuantization(scales: [0.011], zeroPoints: [-7])
    if output.denormalization == nil {
      for quantization in [nil, stored] {
        try output.check(values, as: output.spec(.int8, quantization)) { value, _ in
          UInt8(Int(value) + 128)
        }
      }
      return
    }
    try output.check(values, as: output.spec(.int8, stored)) {
      output.denormalized((Float($0) - zeroPoint) * scale, $1)
    }
    let error = #expect(throws: TensorIOError.self) {
      try PixelBuffer.decoded(values, as: output.spec(.int8))
    }
    #expect(error?.message.contains("has none") == true)
  }

  @Test(arguments: Output.all) func `larger integers are clamped like floats`(
    _ output: Output
  ) throws {
    let values = (0..<(Self.pixels * output.format.channels)).map { Int32($0 * 37 - 60) }
    try output.check(values, as: output.spec(.int32)) { output.denormalized(Float($0), $1) }
    try output.check(values.map(Int64.init), as: output.spec(.int64)) {
      output.denormalized(Float($0), $1)
    }
    try output.check(values.map(Int16.init), as: output.spec(.int16)) {
      output.denormalized(Float($0), $1)
    }
  }

  @Test(arguments: ImageShape.Format.allCases, ImageShape.Layout.allCases)
  func `an image is encoded into its tensor and decoded again`(
    _ format: ImageShape.Format, _ layout: ImageShape.Layout
  ) throws {
    let isGray = format == .gray
    let bytes = (0..<(Self.pixels * (isGray ? 1 : 3))).map { UInt8($0 * 29 % 256) }
    let image = PixelBuffer(
      width: Self.width, height: Self.height, format: isGray ? .gray : .rgb, bytes: bytes)
    let shape = ImageShape(
      height: Self.height, width: Self.width, format: format, layout: layout)
    let scale = ColorValues(red: 0.02, green: 0.01, blue: 0.03)
    let bias = ColorValues(red: -1, green: -2, blue: 0.5)
    let into = PixelNormalization(scale: scale, bias: bias)
    // (v + bias) * scale is the inverse of scale * v + bias.
    let out = PixelDenormalization(
      scale: ColorValues(red: 50, green: 100, blue: 1 / 0.03),
      bias: ColorValues(red: 1, green: 2, blue: -0.5))
    let stored = StoredQuantization(scales: [0.03], zeroPoints: [5])
    for (dataType, normalizes) in [
      (DataType.float32, true), (.float32, false), (.uint8, false), (.int8, false),
      (.float16, false), (.float64, true), (.int32, false),
    ] {
      let input = TensorSpec(
        name: "x", shape: shape.axes, dataType: dataType,
        kind: .imageInput(shape, ImagePreprocessing(normalization: normalizes ? into : nil)),
        storedQuantization: stored)
      let output = TensorSpec(
        name: "y", shape: shape.axes, dataType: dataType,
        kind: .imageOutput(shape, normalizes ? out : nil), storedQuantization: stored)
      let same = try PixelBuffer.decoded(image.encoded(as: input), as: output)
      let seen =
        isGray ? [same] : [same.channels().red, same.channels().green, same.channels().blue]
      let own =
        isGray
        ? [image]
        : [image.channels().red, image.channels().green, image.channels().blue]
      #expect(seen.map(\.bytes) == own.map(\.bytes), "\(dataType)")
    }
  }
}
