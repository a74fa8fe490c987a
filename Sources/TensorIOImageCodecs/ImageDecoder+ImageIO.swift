// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(ImageIO)
import CoreGraphics
import Foundation
import ImageIO
import TensorIO
import UniformTypeIdentifiers

// Not built here: this library is developed on Linux. ImageIO is laxer than the libraries are
// there, and draws what it can of a damaged picture.

extension ImageDecoder {
  /// Decodes with ImageIO.
  func decode(_ bytes: RawSpan, as format: FileFormat, name: String) throws -> PixelBuffer {
    let data = bytes.withUnsafeBytes { Data($0) }
    guard
      let source = CGImageSourceCreateWithData(data as CFData, nil),
      let properties = CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as? [CFString: Any],
      let width = properties[kCGImagePropertyPixelWidth] as? Int,
      let height = properties[kCGImagePropertyPixelHeight] as? Int
    else {
      throw TensorIOError(.invalidImage, "\(name) is \(format.words), but damaged.")
    }
    guard CGImageSourceGetCount(source) == 1 else {
      throw TensorIOError(
        .unsupportedImage,
        "\(name) is \(format.words) of a kind that is not supported: it is animated.")
    }
    try limits.check(width: width, height: height, name: name)
    guard
      let image = CGImageSourceCreateImageAtIndex(source, 0, nil),
      CGImageSourceGetStatusAtIndex(source, 0) == .statusComplete,
      let space = CGColorSpace(name: CGColorSpace.sRGB)
    else {
      throw TensorIOError(.invalidImage, "\(name) is \(format.words), but damaged.")
    }
    return try PixelBuffer(width: width, height: height, format: .rgba) { pixels in
      let drawn = pixels.withUnsafeMutableBytes { pixels in
        guard
          let context = CGContext(
            data: pixels.baseAddress, width: width, height: height, bitsPerComponent: 8,
            bytesPerRow: width * 4, space: space,
            bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
        else { return false }
        context.draw(image, in: CGRect(x: 0, y: 0, width: width, height: height))
        return true
      }
      guard drawn else {
        throw TensorIOError(.invalidImage, "\(name) is \(format.words) that cannot be drawn.")
      }
    }
  }
}

extension ImageEncoder {
  /// Encodes with ImageIO.
  func encodeUpright(_ picture: PixelBuffer, as format: ImageFormat) throws -> [UInt8] {
    let failure = TensorIOError(
      .unsupportedImage, "\(picture.width) x \(picture.height) pixels cannot be encoded.")
    let hasAlpha = picture.format.alphaOffset != nil
    let offsets = picture.format.colorOffsets
    let step = picture.format.bytesPerPixel
    let pixels = picture.withBytes { span in
      span.withUnsafeBytes { stored in
        var pixels = [UInt8](repeating: 255, count: picture.width * picture.height * 4)
        for pixel in 0..<picture.width * picture.height {
          pixels[pixel * 4] = stored[pixel * step + offsets.red]
          pixels[pixel * 4 + 1] = stored[pixel * step + offsets.green]
          pixels[pixel * 4 + 2] = stored[pixel * step + offsets.blue]
          if let alpha = picture.format.alphaOffset {
            pixels[pixel * 4 + 3] = stored[pixel * step + alpha]
          }
        }
        return pixels
      }
    }
    let alpha: CGImageAlphaInfo = hasAlpha ? .last : .noneSkipLast
    let output = NSMutableData()
    let (type, options): (UTType, [CFString: Any]) =
      switch format {
      case .png: (.png, [:])
      case .jpeg(let quality):
        (
          .jpeg,
          [kCGImageDestinationLossyCompressionQuality: Double(min(max(quality, 1), 100)) / 100]
        )
      }
    guard
      let space = CGColorSpace(name: CGColorSpace.sRGB),
      let provider = CGDataProvider(data: Data(pixels) as CFData),
      let image = CGImage(
        width: picture.width, height: picture.height, bitsPerComponent: 8, bitsPerPixel: 32,
        bytesPerRow: picture.width * 4, space: space,
        bitmapInfo: CGBitmapInfo(rawValue: alpha.rawValue), provider: provider, decode: nil,
        shouldInterpolate: false, intent: .defaultIntent),
      let destination = CGImageDestinationCreateWithData(
        output, type.identifier as CFString, 1, nil)
    else { throw failure }
    CGImageDestinationAddImage(destination, image, options as CFDictionary)
    guard CGImageDestinationFinalize(destination) else { throw failure }
    return Array(output as Data)
  }
}
#endif
