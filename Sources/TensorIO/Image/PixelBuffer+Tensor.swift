// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension PixelBuffer {
  /// Reads an image from a tensor with any alignment: RGBA with an alpha of 255, or gray, and
  /// upright.
  ///
  /// Floats are clamped to 0...255, then rounded to the nearest integer, with halves rounded up.
  /// NaN becomes 0. Elements beyond the image are not read.
  ///
  /// Without a denormalization, floats are in the range 0...255, and an int8 is a byte minus 128.
  init(
    reading tensor: RawSpan, _ shape: ImageShape, _ denormalization: PixelDenormalization?,
    as spec: TensorSpec
  ) throws {
    switch spec.dataType {
    case .uint8, .float32: break
    case .int8 where denormalization == nil: break
    default:
      // Rare types are converted to floats first; int8 is dequantized by the scale stored in the
      // model.
      let numbers = TensorSpec(
        name: spec.name, shape: spec.shape, dataType: spec.dataType,
        kind: .vector(spec.dataType == .int8 ? .model : nil, labels: nil),
        storedQuantization: spec.storedQuantization)
      let floats = try [Float].decode(tensor, as: numbers)
      let plain = TensorSpec(name: spec.name, shape: spec.shape, kind: .bytes)
      try self.init(reading: floats.span.bytes, shape, denormalization, as: plain)
      return
    }
    let channels = shape.format.channels
    guard shape.width > 0, shape.height > 0, shape.channels == channels else {
      throw TensorIOError(
        .wrongOutputType,
        "An image in the format \(shape.format.rawValue) has a height, a width and "
          + "\(channels == 1 ? "1 channel" : "\(channels) channels"), got "
          + "[\(shape.height), \(shape.width), \(shape.channels)].")
    }
    let bytesPerElement = spec.dataType.byteWidth
    let expected = shape.width * shape.height * channels * bytesPerElement
    guard tensor.byteCount >= expected else {
      throw TensorIOError(
        .wrongElementCount,
        "An image of \(shape.width) x \(shape.height) x \(channels) elements of "
          + "\(bytesPerElement) bytes takes \(expected) bytes, but the tensor has "
          + "\(tensor.byteCount).")
    }
    self.init(
      fillingWidth: shape.width, height: shape.height,
      format: shape.format == .gray ? .gray : .rgba
    ) { pixels in
      pixels.withUnsafeMutableBytes { pixels in
        tensor.withUnsafeBytes { tensor in
          guard let pixels = pixels.baseAddress, let tensor = tensor.baseAddress else { return }
          let reader = TensorPixelReader(
            tensor: tensor, pixels: pixels.assumingMemoryBound(to: UInt8.self), shape: shape)
          switch spec.dataType {
          case .float32: reader.readFloats(denormalization)
          case .int8: reader.readBytes(flipping: 0x80)
          default: reader.readBytes(flipping: 0)
          }
        }
      }
    }
  }
}

private struct TensorPixelReader {
  let tensor: UnsafeRawPointer
  let pixels: UnsafeMutablePointer<UInt8>
  let shape: ImageShape

  private var pixelCount: Int { shape.width * shape.height }

  /// Reads bytes, and flips the bits of the mask in each.
  ///
  /// Flipping the highest bit adds 128 to an int8.
  func readBytes(flipping mask: UInt8) {
    let bytes = tensor.assumingMemoryBound(to: UInt8.self)
    forEachChannel { start, step, target, targetStep, _ in
      for pixel in 0..<pixelCount {
        target[pixel &* targetStep] = bytes[start &+ pixel &* step] ^ mask
      }
    }
  }

  func readFloats(_ denormalization: PixelDenormalization?) {
    let scales = (denormalization?.scale ?? ColorValues(all: 1)).ordered(shape.format)
    let biases = (denormalization?.bias ?? ColorValues()).ordered(shape.format)
    forEachChannel { start, step, target, targetStep, channel in
      let (scale, bias) = (scales[channel], biases[channel])
      for pixel in 0..<pixelCount {
        let value = tensor.loadUnaligned(
          fromByteOffset: (start &+ pixel &* step) &* 4, as: Float.self)
        target[pixel &* targetStep] = Self.byte((value + bias) * scale)
      }
    }
  }

  /// Calls a closure with the start and stride of each channel in the tensor and in the image.
  ///
  /// It also fills the alpha channel.
  @inline(__always)
  private func forEachChannel(
    _ body: (
      _ start: Int, _ step: Int, _ target: UnsafeMutablePointer<UInt8>, _ targetStep: Int,
      _ channel: Int
    ) -> Void
  ) {
    let channels = shape.format.channels
    let isPlanar = shape.layout == .channelsFirst
    let targetStep = channels == 1 ? 1 : 4
    for channel in 0..<channels {
      let offset = shape.format == .bgr ? 2 - channel : channel
      body(
        isPlanar ? channel * pixelCount : channel, isPlanar ? 1 : channels, pixels + offset,
        targetStep, channel)
    }
    if channels == 1 { return }
    for pixel in 0..<pixelCount { pixels[pixel &* 4 &+ 3] = 255 }
  }

  /// Rounds to the nearest byte.
  ///
  /// Adding 0.5 and truncating would be wrong for 0.49999997: the sum rounds to 1.
  @inline(__always)
  private static func byte(_ value: Float) -> UInt8 {
    // The comparison is false for NaN.
    guard value > 0 else { return 0 }
    let clamped = min(value, 255)
    let whole = UInt8(clamped)
    return clamped - Float(whole) >= 0.5 ? whole &+ 1 : whole
  }
}

extension PixelBuffer: TensorEncodable, TensorDecodable {
  public static var tensorKindName: String { "an image" }
  public var tensorElementCount: Int? { nil }
  public var encodedImageSize: (width: Int, height: Int)? {
    orientation.swapsAxes ? (height, width) : (width, height)
  }

  public func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
    let (transform, encoding) = try ImageTransform.ofInput(spec)
    try transform.write(self, into: &memory, as: encoding)
  }

  public static func decode(_ bytes: RawSpan, as spec: TensorSpec) throws -> PixelBuffer {
    guard case .imageOutput(let shape, let denormalization) = spec.kind else {
      throw TensorIOError.wrongOutputType(
        spec, "an image (PixelBuffer)",
        because: spec.isClassMap
          ? "it is a class map; read it as ClassMap, which can draw an image"
          : "model.json does not describe it as an image")
    }
    return try PixelBuffer(reading: bytes, shape, denormalization, as: spec)
  }
}

extension ImageTransform {
  /// Returns the transform and the encoding for an image input.
  package static func ofInput(
    _ spec: TensorSpec
  ) throws -> (transform: ImageTransform, encoding: PixelEncoding) {
    guard case .imageInput(let shape, let preprocessing) = spec.kind else {
      throw TensorIOError.wrongKind(
        spec, expected: "\(spec.dataType) values", found: PixelBuffer.tensorKindName)
    }
    let encoding = try PixelEncoding(shape, preprocessing.normalization, as: spec)
    return (ImageTransform(shape, preprocessing), encoding)
  }
}

extension TensorSpec {
  /// Returns the gray or RGB pixels that would go into an image input's tensor, before
  /// normalization; nil if the layer is not an image input.
  package func preview(of value: any TensorEncodable) throws -> PixelBuffer? {
    guard case .imageInput(let shape, let preprocessing) = kind else { return nil }
    let isGray = shape.format == .gray
    let upright = ImageShape(
      height: shape.height, width: shape.width, format: isGray ? .gray : .rgb)
    var plain = preprocessing
    plain.normalization = nil
    let spec = TensorSpec(
      name: "preview", shape: upright.axes, dataType: .uint8, kind: .imageInput(upright, plain))
    return try PixelBuffer(
      width: shape.width, height: shape.height, format: isGray ? .gray : .rgb
    ) { try value.encode(into: &$0, as: spec) }
  }
}
