// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import Testing

@testable import NetRunner

@Suite struct DetectionPlacementTests {
  private func whole(_ crop: ImageCrop, _ box: Box) throws -> Box {
    let spec = TensorSpec(
      name: "image", shape: [100, 100, 3],
      kind: .imageInput(ImageShape(height: 100, width: 100), ImagePreprocessing(crop: crop)))
    return try box.inWholePicture(of: (400, 200), spec)
  }

  private let all = Box(x: 0, y: 0, width: 1, height: 1)

  @Test func `boxes of a stretched image stay where they are`() throws {
    let box = Box(x: 0.1, y: 0.2, width: 0.3, height: 0.4)
    #expect(try whole(ImageCrop(.stretch), box) == box)
  }

  @Test func `boxes of a cropped image are in the middle`() throws {
    // The middle 200 x 200 of 400 x 200.
    let expected = Box(x: 0.25, y: 0, width: 0.5, height: 1)
    #expect(try whole(ImageCrop(.center), all) == expected)
    // The middle half of that.
    #expect(
      try whole(ImageCrop(.center, fraction: 0.5), all)
        == Box(x: 0.375, y: 0.25, width: 0.25, height: 0.5))
  }

  @Test func `boxes of an image with a margin may extend over its edge`() throws {
    // 100 x 50 in the middle of 100 x 100: 25 rows above and below.
    #expect(
      try whole(ImageCrop(.pad), all) == Box(x: 0, y: -0.5, width: 1, height: 2))
    #expect(
      try whole(ImageCrop(.pad), Box(x: 0, y: 0.25, width: 0.5, height: 0.5))
        == Box(x: 0, y: 0, width: 0.5, height: 1))
  }
}
