// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TensorIO

/// A crop and resize by Pillow's BILINEAR, in more sizes than ``ResizeGolden`` has, written by
/// `Tools/make_image_fixtures.py`.
///
/// It tests the pixels of `ImageTransform`. ``ResizeGolden`` has all methods, and tests tensors.
struct ResizeFixture: Decodable, Sendable, CustomStringConvertible {
  var sourceWidth: Int
  var sourceHeight: Int
  var source: Int
  var width: Int
  var height: Int
  var result: Int

  var description: String { "\(sourceWidth) x \(sourceHeight) to \(width) x \(height)" }

  /// The source image, RGB.
  var image: [UInt8] {
    Array(Self.pixels[source..<source + sourceWidth * sourceHeight * 3])
  }

  /// Pillow's result, RGB.
  var expected: [UInt8] { Array(Self.pixels[result..<result + width * height * 3]) }

  static let all: [ResizeFixture] = {
    guard
      let rows = try? JSONDecoder().decode(
        [ResizeFixture].self, from: Fixtures.data("Images/resizing.json"))
    else { fatalError("resizing.json cannot be decoded.") }
    return rows
  }()

  private static let pixels = [UInt8](Fixtures.data("Images/pixels.bin"))
}

extension PixelBuffer {
  /// All bytes.
  var bytes: [UInt8] {
    withBytes { span in span.withUnsafeBytes { Array($0) } }
  }

  /// An image whose bytes are all different where possible.
  static func sample(
    width: Int, height: Int, format: Format = .rgb, orientation: ImageOrientation = .up
  ) -> PixelBuffer {
    let count = width * height * format.bytesPerPixel
    return PixelBuffer(
      width: width, height: height, format: format, orientation: orientation,
      bytes: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ $0 / 256 &* 7) })
  }

  /// The same colours in another format, with alpha 9.
  func converted(to format: Format) -> PixelBuffer {
    let from = self.format.colorOffsets
    let to = format.colorOffsets
    let stored = bytes
    var result = [UInt8](repeating: 9, count: width * height * format.bytesPerPixel)
    for pixel in 0..<width * height {
      let source = pixel * self.format.bytesPerPixel
      let target = pixel * format.bytesPerPixel
      result[target + to.red] = stored[source + from.red]
      result[target + to.green] = stored[source + from.green]
      result[target + to.blue] = stored[source + from.blue]
    }
    return PixelBuffer(
      width: width, height: height, format: format, orientation: orientation, bytes: result)
  }
}
