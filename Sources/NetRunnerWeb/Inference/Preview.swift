// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOImageCodecs

/// What a model sees of a picture, as small pictures that a page shows.
struct Preview: Sendable {
  /// The cropped and resized picture.
  let image: PixelBuffer
  /// Its channels; nil where it is gray.
  let channels: (red: PixelBuffer, green: PixelBuffer, blue: PixelBuffer)?

  /// Makes the preview of a picture.
  ///
  /// - Throws: `TensorIOError` when the picture cannot be read.
  init?(of file: ImageFile, for input: TensorSpec) throws {
    guard let image = try input.preview(of: file) else { return nil }
    self.image = image
    channels = image.format == .gray ? nil : image.channels()
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
    return .object(members)
  }
}

extension PixelBuffer {
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
