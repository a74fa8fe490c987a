// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO
import TensorIOImageCodecs

extension TensorSpec {
  /// Returns what a model sees of an image, or nil if the input doesn't take images.
  ///
  /// The views are `image`, its channels unless it is gray, and on request `alpha`, which models
  /// don't receive. It is cropped and resized in the same way.
  func previews(of image: PixelBuffer, includesAlpha: Bool) throws -> [String: PixelBuffer]? {
    guard let preview = try self.preview(of: image) else { return nil }
    var views = ["image": preview]
    if preview.format != .gray {
      (views["red"], views["green"], views["blue"]) = preview.channels()
    }
    if includesAlpha { views["alpha"] = try self.preview(of: image.opacity)?.channels().red }
    return views
  }
}

extension PixelBuffer {
  /// The alpha channel as a gray image, which is white if there is none.
  fileprivate var opacity: PixelBuffer {
    PixelBuffer(width: width, height: height, format: .gray, orientation: orientation) { target in
      target.withUnsafeMutableBytes { target in
        guard let offset = format.alphaOffset else {
          _ = target.initializeMemory(as: UInt8.self, repeating: 255)
          return
        }
        withBytes { source in
          source.withUnsafeBytes { source in
            for pixel in 0..<width * height {
              target[pixel] = source[pixel &* format.bytesPerPixel &+ offset]
            }
          }
        }
      }
    }
  }

  /// The number of pixels up to which an image is encoded as a PNG, because each pixel is visible.
  private static let smallCount = 96 * 96

  /// Encodes the image as a `data:` URL: a lossless PNG if it is small, otherwise a JPEG.
  func dataAddress() throws -> String {
    let isSmall = width * height <= Self.smallCount
    return try dataAddress(as: isSmall ? .png : .jpeg(quality: 85))
  }

  func dataAddress(as format: ImageFormat) throws -> String {
    let type = format == .png ? "image/png" : "image/jpeg"
    let bytes = try ImageEncoder().encode(self, as: format)
    return "data:\(type);base64," + Data(bytes).base64EncodedString()
  }
}
#endif
