// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Makes a picture fit an image layer: cropped, resized, upright.
///
/// A picture of the target's size that stands upright is taken as it is. Else the largest part
/// with the target's aspect is cut out of the middle, resized with an antialiased bilinear filter
/// and turned upright. Alpha is skipped. Any picture fits any target, enlarged where necessary.
///
/// The result is, bit for bit, that of Pillow's `image.crop(...).resize(size, BILINEAR)`.
///
/// ```swift
/// let preview = ImageTransform(width: 224, height: 224).apply(to: photo)
/// ```
public struct ImageTransform: Hashable, Sendable {
  /// Pixels in a row of the result.
  public let width: Int
  /// Rows of the result.
  public let height: Int

  /// Makes a transform for a size.
  ///
  /// - Parameters:
  ///   - width: Pixels in a row, at least 1.
  ///   - height: Rows, at least 1.
  public init(width: Int, height: Int) {
    precondition(width > 0 && height > 0, "A picture has at least one pixel.")
    self.width = width
    self.height = height
  }

  /// The picture as a model with this transform sees it: RGB and upright.
  public func apply(to image: PixelBuffer) -> PixelBuffer {
    PixelBuffer(fillingWidth: width, height: height, format: .rgb) { span in
      transform(image, into: &span, as: PixelEncoding(element: .uint8))
    }
  }

  /// Writes the transformed picture into a tensor's memory.
  ///
  /// - Parameters:
  ///   - image: A picture of any size, format and orientation.
  ///   - tensor: Memory for height x width x 3 elements, without a need for alignment.
  ///   - encoding: What the tensor holds.
  /// - Throws: `TensorIOError` when the memory does not have the size of the result.
  package func write(
    _ image: PixelBuffer, into tensor: inout MutableRawSpan, as encoding: PixelEncoding
  ) throws {
    let expected = width * height * 3 * encoding.bytesPerElement
    guard tensor.byteCount == expected else {
      throw TensorIOError(
        .wrongElementCount,
        "A picture of \(width) x \(height) x 3 elements of \(encoding.bytesPerElement) bytes "
          + "takes \(expected) bytes, the tensor has \(tensor.byteCount).")
    }
    transform(image, into: &tensor, as: encoding)
  }

  private func transform(
    _ image: PixelBuffer, into tensor: inout MutableRawSpan, as encoding: PixelEncoding
  ) {
    tensor.withUnsafeMutableBytes { target in
      image.withBytes { span in
        span.withUnsafeBytes { bytes in
          guard let target = target.baseAddress else { return }
          let writer = PixelRowWriter(target: target, width: width, encoding: encoding)
          if image.orientation == .up {
            let rows = resampler(of: bytes, image: image, size: (width, height), encoding.format)
            rows.forEachRow { writer.write($0, row: $1) }
          } else {
            turn(bytes, image: image, encoding.format, into: writer)
          }
        }
      }
    }
  }

  /// Resizes as stored, then turns the small result.
  private func turn(
    _ bytes: UnsafeRawBufferPointer, image: PixelBuffer, _ order: ImageShape.Format,
    into writer: PixelRowWriter
  ) {
    let size = image.orientation.swapsAxes ? (height, width) : (width, height)
    let stride = size.0 * 3
    let stored = UnsafeMutablePointer<UInt8>.allocate(capacity: stride * size.1)
    let row = UnsafeMutablePointer<UInt8>.allocate(capacity: width * 3)
    defer {
      stored.deallocate()
      row.deallocate()
    }
    resampler(of: bytes, image: image, size: size, order).forEachRow { pixels, y in
      (stored + y * stride).update(from: pixels, count: stride)
    }
    let walk = PixelWalk(
      width: size.0, height: size.1, bytesPerPixel: 3, bytesPerRow: stride,
      orientation: image.orientation)
    for y in 0..<height {
      var pixel = stored + walk.start + y * walk.rowStep
      for x in 0..<width {
        row[x &* 3] = pixel[0]
        row[x &* 3 &+ 1] = pixel[1]
        row[x &* 3 &+ 2] = pixel[2]
        if x &+ 1 < width { pixel += walk.columnStep }
      }
      writer.write(row, row: y)
    }
  }

  private func resampler(
    of bytes: UnsafeRawBufferPointer, image: PixelBuffer, size: (Int, Int),
    _ order: ImageShape.Format
  ) -> Resampler {
    let crop = PixelCrop(of: (image.width, image.height), toAspectOf: size)
    let source = PixelSource(bytes: bytes, of: image, crop: crop, order: order)
    return Resampler(source: source, crop: crop, to: size)
  }
}
