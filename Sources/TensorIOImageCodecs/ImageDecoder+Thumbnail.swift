// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

extension ImageDecoder {
  /// Checks that bytes begin with the header of a supported image, without decoding pixels.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - name: The image's name in error messages.
  /// - Throws: `TensorIOError` with the codes `.unsupportedImage`, `.invalidImage` or
  ///   `.imageTooLarge`.
  package func checkHeader(of bytes: [UInt8], named name: String) throws {
    try bytes.withUnsafeBytes {
      _ = try ImageReader($0, named: name, limits: limits, pool: pool)
    }
  }

  /// Decodes a small upright copy of a whole image, which is never enlarged.
  ///
  /// A JPEG image is decoded at a fraction of its size where that is enough.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - side: The maximum length of the longest side, in pixels.
  /// - Returns: The copy, in RGB.
  /// - Throws: `TensorIOError` with the codes of ``decode(contentsOf:)``.
  package func thumbnail(contentsOf path: String, side: Int) throws -> PixelBuffer {
    precondition(side > 0, "An image must have at least one pixel.")
    let file = try readFile(path, limit: limits.maximumFileBytes, pool: pool)
    return try withExtendedLifetime(file.buffer) {
      let reader = try ImageReader(file.bytes, named: "'\(path)'", limits: limits, pool: pool)
      let scale = min(1, Double(side) / Double(max(reader.width, reader.height)))
      func scaled(_ length: Int) -> Int { max(1, Int((Double(length) * scale).rounded())) }
      let target = (width: scaled(reader.width), height: scaled(reader.height))
      var options = DecodeOptions()
      if reader.canScale {
        options.denominator = DecodeScaling.high.denominator(
          used: (reader.width, reader.height), target: target)
      }
      let picture = try reader.picture(options: options)
      let swaps = picture.orientation.swapsAxes
      return ImageTransform(
        width: swaps ? target.height : target.width, height: swaps ? target.width : target.height,
        crop: ImageCrop(.stretch)
      ).apply(to: picture)
    }
  }
}
