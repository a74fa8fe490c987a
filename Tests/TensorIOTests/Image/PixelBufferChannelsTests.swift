// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import Testing

@Suite struct PixelBufferChannelsTests {
  @Test(arguments: [
    (PixelBuffer.Format.rgb, [1, 2, 3, 4, 5, 6]), (.bgr, [3, 2, 1, 6, 5, 4]),
    (.rgba, [1, 2, 3, 9, 4, 5, 6, 9]), (.bgra, [3, 2, 1, 9, 6, 5, 4, 9]),
    (.argb, [9, 1, 2, 3, 9, 4, 5, 6]),
  ])
  func `each colour gives a gray image`(format: PixelBuffer.Format, bytes: [UInt8]) {
    let image = PixelBuffer(
      width: 1, height: 2, format: format, orientation: .left, bytes: bytes)
    let (red, green, blue) = image.channels()
    #expect([red, green, blue].map(\.bytes) == [[1, 4], [2, 5], [3, 6]])
    for channel in [red, green, blue] {
      #expect(channel.format == .gray && channel.orientation == .left)
      #expect(channel.width == 1 && channel.height == 2)
    }
  }

  @Test func `each colour of a gray image is the image itself`() {
    let gray = PixelBuffer(width: 2, height: 1, format: .gray, bytes: [7, 9])
    let (red, green, blue) = gray.channels()
    #expect([red, green, blue].map(\.bytes) == [[7, 9], [7, 9], [7, 9]])
  }
}
