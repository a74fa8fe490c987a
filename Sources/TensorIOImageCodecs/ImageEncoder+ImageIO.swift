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

// Not built in development, which happens on Linux.

extension ImageEncoder {
  func encodeUpright(_ buffer: PixelBuffer, as format: ImageFormat) throws -> [UInt8] {
    let failure = TensorIOError(
      .unsupportedImage, "\(buffer.width) x \(buffer.height) pixels cannot be encoded.")
    let hasAlpha = buffer.format.alphaOffset != nil
    let offsets = buffer.format.colorOffsets
    let step = buffer.format.bytesPerPixel
    let pixels = buffer.withBytes { span in
      span.withUnsafeBytes { stored in
        var pixels = [UInt8](repeating: 255, count: buffer.width * buffer.height * 4)
        for pixel in 0..<buffer.width * buffer.height {
          pixels[pixel * 4] = stored[pixel * step + offsets.red]
          pixels[pixel * 4 + 1] = stored[pixel * step + offsets.green]
          pixels[pixel * 4 + 2] = stored[pixel * step + offsets.blue]
          if let alpha = buffer.format.alphaOffset {
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
        width: buffer.width, height: buffer.height, bitsPerComponent: 8, bitsPerPixel: 32,
        bytesPerRow: buffer.width * 4, space: space,
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
