// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import TestSupport
import Testing

/// Options of a grid, for our anchors and Python's.
private struct GridCase: Encodable {
  var kind = "grid"
  var size: [Int]
  var strides: [Int]
  var minimum: Float
  var maximum: Float
  var ratios: [Float]
  var interpolated: Float
  var offsetX: Float
  var offsetY: Float
  var reduces: Bool
  var isFixed: Bool

  private enum CodingKeys: String, CodingKey {
    case kind, size, strides
    case minimum = "min_scale"
    case maximum = "max_scale"
    case ratios = "aspect_ratios"
    case interpolated = "interpolated_scale_aspect_ratio"
    case offsetX = "anchor_offset_x"
    case offsetY = "anchor_offset_y"
    case reduces = "reduce_boxes_in_lowest_layer"
    case isFixed = "fixed_anchor_size"
  }

  init(seed: Int) {
    var random = BoxNumbers(seed: seed)
    size = [random.pick([64, 100, 128]), random.pick([64, 90, 128])]
    strides = random.pick([[8], [8, 16, 16, 16], [16, 32, 64], [8, 8, 16]])
    minimum = random.number(0.1...0.3)
    maximum = random.number(0.5...0.95)
    ratios = random.pick([[1], [1, 2, 0.5], [1, 2, 0.5, 3, 0.3333]])
    interpolated = random.pick([0, 1, 2])
    offsetX = random.pick([0.5, 0.25])
    offsetY = random.pick([0.5, 0])
    reduces = random.pick([true, false])
    isFixed = random.pick([true, false])
  }

  var grid: AnchorGrid {
    AnchorGrid(
      inputWidth: size[0], inputHeight: size[1], strides: strides, minimumScale: minimum,
      maximumScale: maximum, aspectRatios: ratios, interpolatedAspectRatio: interpolated,
      offsetX: offsetX, offsetY: offsetY, reducesLowestLayer: reduces, hasFixedSize: isFixed)
  }
}

struct BoxAnchorsTests {
  @Test(.enabled(if: DecoderPeer.isThere, DecoderPeer.reason))
  func `a hundred grids have the anchors of Python`() async throws {
    let cases = (0..<100).map { GridCase(seed: 50_000 + $0) }
    let answers = try await DecoderPeer.answers(cases, as: [String: [Double]].self)
    for (item, answer) in zip(cases, answers) {
      let anchors = try BoxAnchors(item.grid)
      let values = (0..<anchors.count).flatMap { index -> [Float] in
        let anchor = anchors[index]
        return [anchor.y, anchor.x, anchor.height, anchor.width]
      }
      let theirs = try #require(answer["anchors"])
      try #require(values.count == theirs.count)
      #expect(zip(values, theirs).allSatisfy { abs(Double($0) - $1) < 1e-6 })
    }
  }

  @Test func `the short-range face detector has 896 anchors`() throws {
    let anchors = try BoxAnchors(
      AnchorGrid(
        inputWidth: 128, inputHeight: 128, strides: [8, 16, 16, 16], minimumScale: 0.1484375,
        maximumScale: 0.75, hasFixedSize: true))
    #expect(anchors.count == 896)
    #expect(anchors[0] == anchors[1])
    #expect(anchors[0].x == 0.03125)
    #expect(anchors[0].width == 1)
    #expect(anchors[895].y == 0.9375)
  }

  @Test(arguments: ["0.5, 0.25, 1, 2\n1 1 1 1\n", "0.5 0.25\t1,2\r\n\r\n1,1,1,1"])
  func `text has a line for each anchor`(text: String) throws {
    let bytes = [UInt8](text.utf8)
    let anchors = try BoxAnchors(text: bytes.span)
    #expect(anchors.count == 2)
    let first = anchors[0]
    #expect([first.y, first.x, first.height, first.width] == [0.5, 0.25, 1, 2])
  }

  @Test(arguments: [
    ("y,x,h,w\n0,0,1,1", "Line 1 of the anchors has 'y', but a number was expected."),
    ("0 0 1 1\n0 0 1", "Line 2 of the anchors has 3 numbers"),
    ("0 0 1 1\n\n0 0 1 nan", "Line 3 of the anchors has 'nan'"),
    ("0 0 1 1 1", "Line 1 of the anchors has 5 numbers"),
    (String(repeating: "1", count: 50), "Line 1 of the anchors has '1111"),
  ])
  func `an error names the line`(text: String, message: String) {
    let bytes = [UInt8](text.utf8)
    let error = #expect(throws: DecodingError.self) { try BoxAnchors(text: bytes.span) }
    #expect(error?.message.hasPrefix(message) == true)
  }

  @Test func `empty text has no anchors`() throws {
    let bytes: [UInt8] = []
    #expect(try BoxAnchors(text: bytes.span).count == 0)
  }

  @Test(arguments: [
    AnchorGrid(inputWidth: 0, inputHeight: 8, strides: [8], minimumScale: 0, maximumScale: 1),
    AnchorGrid(inputWidth: 8, inputHeight: 8, strides: [], minimumScale: 0, maximumScale: 1),
    AnchorGrid(inputWidth: 8, inputHeight: 8, strides: [0], minimumScale: 0, maximumScale: 1),
    AnchorGrid(
      inputWidth: .max, inputHeight: .max, strides: [1], minimumScale: 0, maximumScale: 1),
    AnchorGrid(
      inputWidth: 65_536, inputHeight: 65_536, strides: [1], minimumScale: 0, maximumScale: 1),
    AnchorGrid(inputWidth: 8, inputHeight: 8, strides: [8], minimumScale: .nan, maximumScale: 1),
    AnchorGrid(
      inputWidth: 8, inputHeight: 8, strides: [8], minimumScale: 0, maximumScale: 1,
      aspectRatios: [-1]),
  ])
  func `a grid that can't be is an error`(grid: AnchorGrid) {
    #expect(throws: DecodingError.self) { try BoxAnchors(grid) }
  }

  @Test func `numbers that aren't four for each anchor are an error`() {
    #expect(throws: DecodingError.self) { try BoxAnchors([1, 2, 3]) }
    #expect(throws: DecodingError.self) { try BoxAnchors([1, 2, 3, .infinity]) }
  }
}
