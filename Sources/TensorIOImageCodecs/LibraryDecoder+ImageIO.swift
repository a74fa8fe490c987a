// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(ImageIO)
import CoreGraphics
import Foundation
import ImageIO
import TensorIO

// Not built in development, which happens on Linux. ImageIO is less strict than the libraries used
// there, and draws as much as it can of a damaged image.

/// A decoder that uses ImageIO and always decodes the whole image.
final class LibraryDecoder: FormatDecoder, RowSource {
  /// False, because ImageIO's own scaling differs from libjpeg's.
  static let scalesJPEG = false

  let width: Int
  let height: Int
  let hasAlpha = true

  private let source: CGImageSource
  private let format: FileFormat
  private let name: String
  private let pool: BufferPool
  private var canvas: PooledBuffer?
  private var region = PixelCrop(width: 0, height: 0)
  private var next = 0

  init(
    _ bytes: UnsafeRawBufferPointer, format: FileFormat, name: String,
    limits: ImageDecoder.Limits, pool: BufferPool
  ) throws {
    guard
      let source = CGImageSourceCreateWithData(Data(bytes) as CFData, nil),
      let properties = CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as? [CFString: Any],
      let width = properties[kCGImagePropertyPixelWidth] as? Int,
      let height = properties[kCGImagePropertyPixelHeight] as? Int
    else {
      throw TensorIOError(.invalidImage, "\(name) is \(format.rawValue), but it is damaged.")
    }
    guard CGImageSourceGetCount(source) == 1 else {
      throw TensorIOError(
        .unsupportedImage,
        "\(name) is \(format.rawValue) of an unsupported kind: it is animated.")
    }
    try limits.check(width: width, height: height, name: name)
    self.source = source
    self.format = format
    self.name = name
    self.pool = pool
    self.width = width
    self.height = height
  }

  func start(
    _ region: PixelCrop, options: DecodeOptions, canvas: UnsafeMutableRawBufferPointer?
  ) throws -> any RowSource {
    guard
      let image = CGImageSourceCreateImageAtIndex(source, 0, nil),
      CGImageSourceGetStatusAtIndex(source, 0) == .statusComplete,
      let space = CGColorSpace(name: CGColorSpace.sRGB)
    else {
      throw TensorIOError(.invalidImage, "\(name) is \(format.rawValue), but it is damaged.")
    }
    let buffer = pool.buffer(byteCount: width * height * 4 + pixelRowSlack)
    // Transparent pixels are drawn over the buffer's contents, so clear them first.
    buffer.bytes.initializeMemory(as: UInt8.self, repeating: 0)
    guard
      let context = CGContext(
        data: buffer.bytes.baseAddress, width: width, height: height, bitsPerComponent: 8,
        bytesPerRow: width * 4, space: space,
        bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
    else {
      throw TensorIOError(.invalidImage, "\(name) is \(format.rawValue) that cannot be drawn.")
    }
    context.draw(image, in: CGRect(x: 0, y: 0, width: width, height: height))
    self.canvas = buffer
    self.region = region
    return self
  }

  func row(skipping count: Int) throws -> UnsafePointer<UInt8> {
    next += count
    let start = ((region.y + next) * width + region.x) * 4
    next += 1
    guard let bytes = canvas?.bytes.baseAddress else {
      throw TensorIOError(.invalidImage, "\(name) is \(format.rawValue) that cannot be drawn.")
    }
    return UnsafePointer((bytes + start).assumingMemoryBound(to: UInt8.self))
  }

  func readRow(into target: UnsafeMutablePointer<UInt8>) throws {
    target.update(from: try row(skipping: 0), count: region.width * 4)
  }

  func finish() throws {}
}
#endif
