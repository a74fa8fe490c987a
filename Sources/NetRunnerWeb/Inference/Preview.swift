// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO
import TensorIOImageCodecs

/// What a model sees of a picture, as small pictures that a page shows.
struct Preview: Sendable {
  /// The cropped and resized picture.
  let image: PixelBuffer
  /// Its channels; nil where it is gray.
  let channels: (red: PixelBuffer, green: PixelBuffer, blue: PixelBuffer)?
  /// What the picture has of alpha, cut and scaled alike, though models get none; nil unless wanted.
  let alpha: PixelBuffer?

  /// Makes the preview of a picture; nil where the input takes none.
  ///
  /// - Parameters:
  ///   - bytes: The picture's file.
  ///   - name: What it is called in messages.
  ///   - input: The model's input.
  ///   - includesAlpha: Whether the alpha is wanted.
  /// - Throws: `TensorIOError` when the picture cannot be read.
  init?(of bytes: [UInt8], named name: String, for input: TensorSpec, includesAlpha: Bool) throws {
    let decoder = InferenceRunner.decoder
    let file = ImageFile(bytes: bytes, named: name, decoder: decoder)
    guard let image = try input.preview(of: file) else { return nil }
    self.image = image
    channels = image.format == .gray ? nil : image.channels()
    guard includesAlpha else {
      alpha = nil
      return
    }
    let opacity = try decoder.decode(bytes, named: name).opacity
    alpha = try input.preview(of: opacity)?.channels().red
  }

  /// The pictures as `data:` addresses.
  ///
  /// - Throws: `TensorIOError` when they cannot be encoded.
  func json() throws -> JSONValue {
    var members: [String: JSONValue] = ["image": .string(try image.dataAddress())]
    if let channels {
      members["red"] = .string(try channels.red.dataAddress())
      members["green"] = .string(try channels.green.dataAddress())
      members["blue"] = .string(try channels.blue.dataAddress())
    }
    if let alpha { members["alpha"] = .string(try alpha.dataAddress()) }
    return .object(members)
  }
}

extension PixelBuffer {
  /// The picture's alpha as a gray picture; white where it has none.
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

  /// Below this many pixels every one of them is seen, and a PNG is small.
  private static let smallCount = 96 * 96

  /// The picture as a `data:` address: exact where it is small, else a JPEG.
  ///
  /// - Throws: `TensorIOError` when it cannot be encoded.
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
