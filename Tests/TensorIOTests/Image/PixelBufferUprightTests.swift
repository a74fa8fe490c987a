// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import Testing

struct PixelBufferUprightTests {
  @Test func `each orientation turns the image as EXIF specifies`() {
    // 1 2 3
    // 4 5 6
    let expected: [ImageOrientation: (width: Int, bytes: [UInt8])] = [
      .up: (3, [1, 2, 3, 4, 5, 6]),
      .upMirrored: (3, [3, 2, 1, 6, 5, 4]),
      .down: (3, [6, 5, 4, 3, 2, 1]),
      .downMirrored: (3, [4, 5, 6, 1, 2, 3]),
      .leftMirrored: (2, [1, 4, 2, 5, 3, 6]),
      .right: (2, [4, 1, 5, 2, 6, 3]),
      .rightMirrored: (2, [6, 3, 5, 2, 4, 1]),
      .left: (2, [3, 6, 2, 5, 1, 4]),
    ]
    for orientation in ImageOrientation.allCases {
      let image = PixelBuffer(
        width: 3, height: 2, format: .gray, orientation: orientation, bytes: [1, 2, 3, 4, 5, 6])
      let upright = image.upright()
      #expect(upright.width == expected[orientation]?.width)
      #expect(upright.bytes == expected[orientation]?.bytes, "\(orientation)")
      #expect(upright.orientation == .up)
    }
  }

  /// The inverse of an orientation: the quarter turns undo each other, all others undo themselves.
  private func inverse(of orientation: ImageOrientation) -> ImageOrientation {
    switch orientation {
    case .left: .right
    case .right: .left
    default: orientation
    }
  }

  @Test(arguments: ImageOrientation.allCases, PixelBuffer.Format.allCases)
  func `a turn and its inverse restore the image`(
    _ orientation: ImageOrientation, _ format: PixelBuffer.Format
  ) {
    // Wider and higher than a tile, and not a multiple of its size.
    let image = PixelBuffer.sample(
      width: 75, height: 41, format: format, orientation: orientation)
    var turned = image.upright()
    turned.orientation = inverse(of: orientation)
    let back = turned.upright()
    #expect(back.width == 75)
    #expect(back.height == 41)
    #expect(back.bytes == image.bytes)
  }

  @Test(
    arguments: [
      (.right, .right, .down), (.left, .left, .down), (.right, .down, .left),
      (.upMirrored, .downMirrored, .down), (.upMirrored, .right, .rightMirrored),
      (.downMirrored, .right, .leftMirrored),
    ] as [(ImageOrientation, ImageOrientation, ImageOrientation)])
  func `two turns equal a third one`(
    _ first: ImageOrientation, _ second: ImageOrientation, _ both: ImageOrientation
  ) {
    var image = PixelBuffer.sample(width: 37, height: 34, orientation: first).upright()
    image.orientation = second
    let once = PixelBuffer.sample(width: 37, height: 34, orientation: both).upright()
    #expect(image.upright().bytes == once.bytes)
  }
}
