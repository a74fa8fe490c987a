// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import Testing

struct ImageTransformTests {
  @Test(arguments: ResizeFixture.all)
  func `a resized image equals Pillow's, bit for bit`(_ fixture: ResizeFixture) {
    let image = PixelBuffer(
      width: fixture.sourceWidth, height: fixture.sourceHeight, format: .rgb,
      bytes: fixture.image)
    let result = ImageTransform(width: fixture.width, height: fixture.height).apply(to: image)
    #expect(result.width == fixture.width)
    #expect(result.height == fixture.height)
    #expect(result.format == .rgb)
    #expect(result.bytes == fixture.expected)
  }

  @Test(
    arguments: [PixelBuffer.Format.rgb, .bgr, .rgba, .bgra, .argb], ResizeFixture.all)
  func `every format gives the same image`(
    _ format: PixelBuffer.Format, _ fixture: ResizeFixture
  ) {
    let image = PixelBuffer(
      width: fixture.sourceWidth, height: fixture.sourceHeight, format: .rgb,
      bytes: fixture.image
    ).converted(to: format)
    let result = ImageTransform(width: fixture.width, height: fixture.height).apply(to: image)
    #expect(result.bytes == fixture.expected)
  }

  @Test func `gray becomes three equal channels`() {
    let gray = PixelBuffer.sample(width: 17, height: 12, format: .gray)
    let transform = ImageTransform(width: 5, height: 7)
    let expected = transform.apply(to: gray.converted(to: .rgb))
    #expect(transform.apply(to: gray).bytes == expected.bytes)
  }

  @Test func `an image that already has the target's size is unchanged`() {
    let image = PixelBuffer.sample(width: 31, height: 9)
    #expect(ImageTransform(width: 31, height: 9).apply(to: image).bytes == image.bytes)
  }

  @Test(arguments: ImageOrientation.allCases)
  func `an image is resized as stored, then turned`(_ orientation: ImageOrientation) {
    var image = PixelBuffer.sample(width: 40, height: 31)
    let size = orientation.swapsAxes ? (7, 12) : (12, 7)
    var stored = ImageTransform(width: size.0, height: size.1).apply(to: image)
    stored.orientation = orientation
    image.orientation = orientation
    let result = ImageTransform(width: 12, height: 7).apply(to: image)
    #expect(result.width == 12)
    #expect(result.height == 7)
    #expect(result.orientation == .up)
    #expect(result.bytes == stored.upright().bytes)
  }

  @Test(arguments: [(1, 1), (1, 300), (300, 1), (2, 3)], [(1, 1), (1, 90), (90, 1), (64, 64)])
  func `any image can be resized to any target`(_ source: (Int, Int), _ target: (Int, Int)) {
    for format in PixelBuffer.Format.allCases {
      let count = source.0 * source.1 * format.bytesPerPixel
      let image = PixelBuffer(
        width: source.0, height: source.1, format: format,
        bytes: Array(repeating: 77, count: count))
      let result = ImageTransform(width: target.0, height: target.1).apply(to: image)
      #expect(result.bytes == Array(repeating: 77, count: target.0 * target.1 * 3))
    }
  }

  @Test(arguments: [(1, 30000), (30000, 1), (70000, 1)])
  func `a very long white image stays white`(_ size: (Int, Int)) {
    let white = [UInt8](repeating: 255, count: size.0 * size.1 * 3)
    let image = PixelBuffer(width: size.0, height: size.1, format: .rgb, bytes: white)
    // A centre crop leaves one square pixel, unless the target is as long.
    let square = ImageTransform(width: 2, height: 2).apply(to: image)
    #expect(square.bytes == Array(repeating: 255, count: 12))
    let long = size.0 > size.1
    let thin = ImageTransform(width: long ? 60 : 1, height: long ? 1 : 60).apply(to: image)
    #expect(thin.bytes == Array(repeating: 255, count: 180))
  }

  @Test func `tensor memory of a wrong size is an error that names both sizes`() {
    var memory = [UInt8](repeating: 0, count: 11)
    let error = #expect(throws: TensorIOError.self) {
      var span = memory.mutableSpan
      var bytes = span.mutableBytes
      try ImageTransform(width: 2, height: 2).write(
        .sample(width: 2, height: 2), into: &bytes, as: PixelEncoding(element: .uint8))
    }
    #expect(error?.code == .wrongElementCount)
    #expect(
      error?.message
        == "An image of 2 x 2 x 3 elements of 1 bytes takes 12 bytes, but the tensor has 11.")
  }
}
