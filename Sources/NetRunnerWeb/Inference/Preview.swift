// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO
import TensorIOImageCodecs

/// What a model sees of an image, as small images for the page.
struct Preview: Sendable {
  /// The cropped and resized image.
  let image: PixelBuffer
  /// The image's channels, or nil if it is gray.
  let channels: (red: PixelBuffer, green: PixelBuffer, blue: PixelBuffer)?
  /// The alpha channel, cropped and resized in the same way, or nil if it wasn't requested.
  ///
  /// Models don't receive it.
  let alpha: PixelBuffer?

  /// Makes the preview of an image, or returns nil if the input doesn't take images.
  ///
  /// - Parameters:
  ///   - picture: The decoded image.
  ///   - input: The model's input.
  ///   - includesAlpha: Whether to include the alpha channel.
  /// - Throws: `TensorIOError` if the input can't take the image.
  init?(of picture: PixelBuffer, for input: TensorSpec, includesAlpha: Bool) throws {
    guard let image = try input.preview(of: picture) else { return nil }
    self.image = image
    channels = image.format == .gray ? nil : image.channels()
    alpha = includesAlpha ? try input.preview(of: picture.opacity)?.channels().red : nil
  }

  /// Encodes the images as `data:` URLs.
  ///
  /// - Throws: `TensorIOError` if they can't be encoded.
  func json() throws -> [String: String] {
    var views = ["image": image, "alpha": alpha]
    if let channels {
      views["red"] = channels.red
      views["green"] = channels.green
      views["blue"] = channels.blue
    }
    return try views.compactMapValues { try $0?.dataAddress() }
  }
}

extension PixelBuffer {
  /// The image's alpha channel as a gray image, which is white if there is no such channel.
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
  ///
  /// - Throws: `TensorIOError` if it can't be encoded.
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
