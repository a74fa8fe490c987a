// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

extension ImageDecoder {
  /// Decodes the numbers that a PNG file stores for its pixels, such as the classes of a mask.
  ///
  /// The numbers are palette indexes, whatever the palette's colours are, or gray values, which are
  /// not scaled to 8 bits.
  ///
  /// - Parameter path: The file's path.
  /// - Returns: A gray image with the numbers as its values.
  /// - Throws: `TensorIOError` with the codes of ``decode(contentsOf:)``. The code is
  ///   `.unsupportedImage` also for PNG files in other colours or with 16 bits per value, and on
  ///   platforms other than Linux.
  package func numbers(contentsOf path: String) throws -> PixelBuffer {
    let name = "'\(path)'"
    let file = try readFile(path, limit: limits.maximumFileBytes, pool: pool)
    return try withExtendedLifetime(file.buffer) {
      let format = FileFormat(of: file.bytes.bytes)
      guard format == .png else {
        throw TensorIOError(
          .unsupportedImage, "\(name) must be a PNG image, but it is \(format.words).")
      }
      #if os(Linux)
      let decoder = try LibraryDecoder(
        file.bytes, format: format, name: name, limits: limits, pool: pool, keepsNumbers: true)
      let region = PixelCrop(x: 0, y: 0, width: decoder.width, height: decoder.height)
      let rows = try decoder.start(region, options: DecodeOptions(), canvas: nil)
      return try PixelBuffer(
        fillingWidth: region.width, height: region.height, format: .gray
      ) { pixels in
        try pixels.withUnsafeMutableBytes { pixels in
          guard var target = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
          for _ in 0..<region.height {
            try rows.readRow(into: target)
            target += region.width
          }
          try rows.finish()
        }
      }
      #else
      throw TensorIOError(
        .unsupportedImage,
        "\(name) can't be read: stored numbers are read only by libpng, on Linux.")
      #endif
    }
  }
}
