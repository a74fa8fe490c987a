// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension PixelBuffer {
  /// What the elements of a tensor that holds a picture are.
  package enum TensorElement: Sendable {
    /// Floats; without a denormalization 0...255.
    case float32(PixelDenormalization?)
    /// Bytes.
    case uint8
    /// Bytes less 128.
    case int8

    var byteCount: Int {
      switch self {
      case .float32: 4
      case .uint8, .int8: 1
      }
    }
  }

  /// Reads a picture out of a tensor: RGBA with an alpha of 255, or gray, upright.
  ///
  /// Floats are clamped to 0...255, then rounded to the nearest, halves up; a NaN becomes 0.
  ///
  /// - Parameters:
  ///   - tensor: The elements, without a need for alignment; more than the picture takes are not
  ///     read.
  ///   - shape: The picture's size, the order of its channels and of the tensor's axes.
  ///   - element: What the elements are.
  /// - Throws: `TensorIOError` when the tensor is too small or the shape is no picture's.
  package init(
    reading tensor: RawSpan, shape: ImageShape, element: TensorElement
  ) throws {
    let channels = shape.format.channels
    guard shape.width > 0, shape.height > 0, shape.channels == channels else {
      throw TensorIOError(
        .wrongOutputType,
        "A \(shape.format.rawValue) picture has height, width and "
          + "\(channels == 1 ? "1 channel" : "\(channels) channels"), got "
          + "[\(shape.height), \(shape.width), \(shape.channels)].")
    }
    let expected = shape.width * shape.height * channels * element.byteCount
    guard tensor.byteCount >= expected else {
      throw TensorIOError(
        .wrongElementCount,
        "A picture of \(shape.width) x \(shape.height) x \(channels) elements of "
          + "\(element.byteCount) bytes takes \(expected) bytes, the tensor has "
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
          switch element {
          case .float32(let denormalization): reader.readFloats(denormalization)
          case .uint8: reader.readBytes(flipping: 0)
          case .int8: reader.readBytes(flipping: 0x80)
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

  /// Adding 128 to an int8 is turning over the highest bit.
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

  /// Calls a closure with where a channel begins and how far apart its values are, in the tensor
  /// and in the picture; fills alpha.
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
      let place = shape.format == .bgr ? 2 - channel : channel
      body(
        isPlanar ? channel * pixelCount : channel, isPlanar ? 1 : channels, pixels + place,
        targetStep, channel)
    }
    if channels == 1 { return }
    for pixel in 0..<pixelCount { pixels[pixel &* 4 &+ 3] = 255 }
  }

  /// Adding a half and truncating would make 1 of 0.49999997, whose sum with a half rounds to 1.
  @inline(__always)
  private static func byte(_ value: Float) -> UInt8 {
    // False for a NaN.
    guard value > 0 else { return 0 }
    let clamped = min(value, 255)
    let whole = UInt8(clamped)
    return clamped - Float(whole) >= 0.5 ? whole &+ 1 : whole
  }
}
