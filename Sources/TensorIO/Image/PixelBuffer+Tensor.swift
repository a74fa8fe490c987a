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

  /// Reads a picture out of a tensor: RGBA with an alpha of 255, upright.
  ///
  /// Floats are clamped to 0...255, then rounded to the nearest, halves up; a NaN becomes 0.
  ///
  /// - Parameters:
  ///   - tensor: The elements, row after row, without a need for alignment; more than the picture
  ///     takes are not read.
  ///   - shape: The picture's size, of three channels, and their order.
  ///   - element: What the elements are.
  /// - Throws: `TensorIOError` when the tensor is too small or the shape is no picture's.
  package init(
    reading tensor: RawSpan, shape: ImageShape, element: TensorElement
  ) throws {
    guard shape.width > 0, shape.height > 0, shape.channels == 3 else {
      throw TensorIOError(
        .wrongOutputType,
        "A picture has height, width and 3 channels, got "
          + "[\(shape.height), \(shape.width), \(shape.channels)].")
    }
    let expected = shape.width * shape.height * 3 * element.byteCount
    guard tensor.byteCount >= expected else {
      throw TensorIOError(
        .wrongElementCount,
        "A picture of \(shape.width) x \(shape.height) x 3 elements of \(element.byteCount) bytes "
          + "takes \(expected) bytes, the tensor has \(tensor.byteCount).")
    }
    self.init(fillingWidth: shape.width, height: shape.height, format: .rgba) { pixels in
      pixels.withUnsafeMutableBytes { pixels in
        tensor.withUnsafeBytes { tensor in
          guard let pixels = pixels.baseAddress, let tensor = tensor.baseAddress else { return }
          let reader = TensorPixelReader(
            tensor: tensor, pixels: pixels.assumingMemoryBound(to: UInt8.self),
            pixelCount: shape.width * shape.height, format: shape.format)
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
  let pixelCount: Int
  let format: ImageShape.Format

  private var red: Int { format == .rgb ? 0 : 2 }

  /// Adding 128 to an int8 is turning over the highest bit.
  func readBytes(flipping mask: UInt8) {
    let bytes = tensor.assumingMemoryBound(to: UInt8.self)
    let red = red
    for pixel in 0..<pixelCount {
      let source = bytes + pixel &* 3
      let target = pixels + pixel &* 4
      target[0] = source[red] ^ mask
      target[1] = source[1] ^ mask
      target[2] = source[2 &- red] ^ mask
      target[3] = 255
    }
  }

  func readFloats(_ denormalization: PixelDenormalization?) {
    let denormalization = denormalization ?? PixelDenormalization(scale: 1)
    let scale = denormalization.scale
    let bias = denormalization.bias
    let red = red
    for pixel in 0..<pixelCount {
      let source = tensor + pixel &* 12
      let target = pixels + pixel &* 4
      let r = source.loadUnaligned(fromByteOffset: red &* 4, as: Float.self)
      let g = source.loadUnaligned(fromByteOffset: 4, as: Float.self)
      let b = source.loadUnaligned(fromByteOffset: 8 &- red &* 4, as: Float.self)
      target[0] = Self.byte((r + bias.red) * scale)
      target[1] = Self.byte((g + bias.green) * scale)
      target[2] = Self.byte((b + bias.blue) * scale)
      target[3] = 255
    }
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
