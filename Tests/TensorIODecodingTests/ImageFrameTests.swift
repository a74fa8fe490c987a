// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import Testing

@testable import TensorIODecoding

/// The positions of the expected results were computed by hand from the crop's definition.
@Suite struct ImageFrameTests {
  private func frame(
    _ mode: ImageCrop.Mode, of size: (width: Int, height: Int)
  ) throws -> ImageFrame {
    let shape = ImageShape(height: 100, width: 100, format: .rgb)
    let layer = TensorSpec(
      name: "image", shape: shape.axes,
      kind: .imageInput(shape, ImagePreprocessing(crop: ImageCrop(mode))))
    return try ImageFrame(layer, size: size)
  }

  @Test func `a stretched image is scaled on each axis`() throws {
    let box = try frame(.stretch, of: (400, 50)).box(left: 25, top: 50, right: 50, bottom: 100)
    #expect(box == Box(x: 100, y: 25, width: 100, height: 25))
  }

  @Test func `the crop's offset is added`() throws {
    let box = try frame(.center, of: (400, 200)).box(left: 0, top: 0, right: 100, bottom: 100)
    #expect(box == Box(x: 100, y: 0, width: 200, height: 200))
  }

  @Test func `a box in the margin is outside the image`() throws {
    let box = try frame(.pad, of: (400, 200)).box(left: 0, top: 0, right: 100, bottom: 25)
    #expect(box == Box(x: 0, y: -100, width: 400, height: 100))
  }

  @Test func `a tensor in place of an image is an image of the layer's size`() throws {
    let shape = ImageShape(height: 100, width: 100, format: .rgb)
    let layer = TensorSpec(
      name: "image", shape: shape.axes, kind: .imageInput(shape, ImagePreprocessing()))
    let frame = try ImageFrame(layer, size: nil)
    #expect(frame.box(left: 1, top: 2, right: 3, bottom: 5) == Box(x: 1, y: 2, width: 2, height: 3))
    #expect(frame.image == (100, 100))
  }

  @Test func `without an image input, positions stay as they are`() throws {
    let frame = try ImageFrame(nil, size: (640, 480))
    #expect(frame.x(0.25) == 0.25)
    #expect(frame.y(-3) == -3)
  }

  @Test func `a turned box keeps its angle if both axes have one scale`() throws {
    let turned = try frame(.pad, of: (200, 200))
      .turnedBox(x: 50, y: 50, width: 20, height: 10, angle: 0.5)
    #expect(abs(turned.angle - 0.5) < 1e-12)
    #expect(abs(turned.box.x - 80) < 1e-9 && abs(turned.box.width - 40) < 1e-9)
    #expect(abs(turned.box.y - 90) < 1e-9 && abs(turned.box.height - 20) < 1e-9)
  }

  @Test func `a box that is turned by a quarter is stretched along the other axis`() throws {
    let turned = try frame(.stretch, of: (400, 100))
      .turnedBox(x: 50, y: 50, width: 20, height: 10, angle: .pi / 2)
    #expect(abs(turned.box.width - 20) < 1e-9)
    #expect(abs(turned.box.height - 40) < 1e-9)
    #expect(abs(turned.angle - .pi / 2) < 1e-9)
  }
}
