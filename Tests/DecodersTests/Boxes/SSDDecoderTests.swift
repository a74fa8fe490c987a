// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import Testing

struct SSDDecoderTests {
  private let anchors = try? BoxAnchors([0.5, 0.25, 0.2, 0.4])

  private func decoder(
    _ boxShape: [Int] = [1, 4], _ scoreShape: [Int] = [1, 1], _ options: SSDOptions = SSDOptions(),
    _ selection: BoxSelection = BoxSelection()
  ) throws -> SSDDecoder {
    try SSDDecoder(
      boxShape: boxShape, scoreShape: scoreShape, anchors: #require(anchors), options: options,
      selection: selection)
  }

  @Test func `zeros are the anchor`() throws {
    let values: [Float] = [0, 0, 0, 0]
    let scores: [Float] = [0]
    let boxes = try decoder().decode(boxes: values.span, scores: scores.span).boxes
    let box = try #require(boxes.first)
    #expect([box.score, box.top, box.right, box.bottom] == [0.5, 0.4, 0.45, 0.6])
    #expect(abs(box.left - 0.05) < 1e-6)
  }

  @Test func `values are divided by the scale and multiplied with the anchor`() throws {
    let values: [Float] = [10, 5, 2, 4, 1, 3]
    let scores: [Float] = [0.9]
    let options = SSDOptions(
      order: .xywh, scale: [10, 20, 4, 8], isExponential: false, activation: .none, points: 1)
    let objects = try decoder([1, 6], [1], options).decode(boxes: values.span, scores: scores.span)
    let box = try #require(objects.boxes.first)
    // x = 10 / 20 * 0.4 + 0.25, y = 5 / 10 * 0.2 + 0.5, w = 2 / 8 * 0.4, h = 4 / 4 * 0.2
    for (value, expected) in [
      (box.left, 0.4), (box.right, 0.5), (box.top, 0.5), (box.bottom, 0.7),
    ] as [(Float, Float)] {
      #expect(abs(value - expected) < 1e-6)
    }
    let point = try #require(objects.points.first)
    #expect(abs(point.x - 0.27) < 1e-6)
    #expect(abs(point.y - 0.56) < 1e-6)
    #expect(point.score == nil)
  }

  @Test func `the background is no class`() throws {
    let values: [Float] = [0, 0, 0, 0]
    let scores: [Float] = [0.8, 0.3, 0.4]
    let options = SSDOptions(hasBackground: true, activation: .none)
    let boxes = try decoder([1, 4], [1, 3], options)
      .decode(boxes: values.span, scores: scores.span).boxes
    #expect(boxes.map(\.classIndex) == [1])
    #expect(boxes.map(\.score) == [0.4])
  }

  @Test func `softmax includes the background`() throws {
    let values: [Float] = [0, 0, 0, 0]
    let scores: [Float] = [1, 0, 1]
    let options = SSDOptions(hasBackground: true, activation: .softmax)
    let boxes = try decoder([1, 4], [1, 3], options)
      .decode(boxes: values.span, scores: scores.span).boxes
    #expect(boxes.map(\.classIndex) == [1])
    #expect(abs(try #require(boxes.first).score - 0.422_318_8) < 1e-6)
  }

  @Test(arguments: BoxActivation.allCases)
  func `undefined numbers drop a box`(activation: BoxActivation) throws {
    let options = SSDOptions(activation: activation)
    for broken in [.nan, .infinity, -.infinity] as [Float] {
      for index in 0..<4 {
        var values: [Float] = [0, 0, 0, 0]
        values[index] = broken
        // A size whose logarithm is negative infinity is 0.
        let isZero = broken == -.infinity && index >= 2
        let scores: [Float] = [1, 2]
        let boxes = try decoder([1, 4], [1, 2], options)
          .decode(boxes: values.span, scores: scores.span).boxes
        #expect(boxes.count == (isZero ? 1 : 0))
      }
      let values: [Float] = [0, 0, 0, 0]
      let scores: [Float] = [broken, broken]
      let boxes = try decoder([1, 4], [1, 2], options)
        .decode(boxes: values.span, scores: scores.span).boxes
      #expect(boxes.isEmpty)
    }
  }

  @Test func `negative sizes are dropped`() throws {
    let values: [Float] = [0, 0, -1, 1]
    let scores: [Float] = [3]
    let options = SSDOptions(isExponential: false)
    let boxes = try decoder([1, 4], [1], options)
      .decode(boxes: values.span, scores: scores.span).boxes
    #expect(boxes.isEmpty)
  }

  @Test func `the face detector has MediaPipe's options`() {
    #expect(SSDOptions.blazeFace(inputSize: 128).scale == [128, 128, 128, 128])
    #expect(SSDOptions.blazeFace(inputSize: 128).points == 6)
    #expect(BoxSelection.blazeFace.suppression == .weighted)
  }

  @Test(arguments: [
    ([1, 3], [1, 1], SSDOptions()),
    ([2, 4], [2, 1], SSDOptions()),
    ([1, 4], [2, 1], SSDOptions()),
    ([1, 4], [1, 0], SSDOptions()),
    ([1, 4], [1, 1], SSDOptions(hasBackground: true)),
    ([1, 4], [1, 1], SSDOptions(points: 1)),
    ([1, 4], [1, 1], SSDOptions(points: -1)),
    ([1, 4], [1, 1], SSDOptions(points: .max)),
    ([1, 4], [1, 1], SSDOptions(scale: [1, 1, 1])),
    ([1, 4], [1, 1], SSDOptions(scale: [1, 0, 1, 1])),
    ([1, 4], [1, 1], SSDOptions(scale: [1, .nan, 1, 1])),
    ([1, 1, 2, 2], [1, 1], SSDOptions()),
  ])
  func `what doesn't fit is an error`(boxes: [Int], scores: [Int], options: SSDOptions) {
    #expect(throws: DecodingError.self) { try decoder(boxes, scores, options) }
  }

  @Test func `tensors of another size are an error`() throws {
    let (four, one): ([Float], [Float]) = ([0, 0, 0, 0], [0])
    let decoder = try decoder()
    #expect(throws: DecodingError.self) { try decoder.decode(boxes: one.span, scores: one.span) }
    #expect(throws: DecodingError.self) { try decoder.decode(boxes: four.span, scores: four.span) }
  }
}
