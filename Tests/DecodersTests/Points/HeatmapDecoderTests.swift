// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import Foundation
import Testing

struct HeatmapDecoderTests {
  /// The values of a Gaussian with a standard deviation of 2 cells.
  private func peak(_ x: Double, _ y: Double, width: Int, height: Int) -> [Float] {
    (0..<width * height).map { cell in
      let (dx, dy) = (Double(cell % width) - x, Double(cell / width) - y)
      return Float(exp(-(dx * dx + dy * dy) / 8))
    }
  }

  private func points(
    _ values: [Float], _ shape: [Int], _ options: HeatmapOptions,
    input: (width: Int, height: Int)? = nil
  ) throws -> [DecodedPoint] {
    let isFirst = options.layout == .channelsFirst
    let size = input ?? (isFirst ? (shape[2], shape[1]) : (shape[1], shape[0]))
    return try HeatmapDecoder(shape: shape, input: size, options: options)
      .decode(values.span).points
  }

  @Test(arguments: [(8.3, 6.8), (5.49, 5.51), (3.0, 9.0), (12.1, 3.6)])
  func `a parabola finds the center of a Gaussian`(x: Double, y: Double) throws {
    let options = HeatmapOptions(layout: .channelsFirst, refinement: .parabola)
    let values = peak(x, y, width: 16, height: 13)
    let found = try points(values, [1, 13, 16], options, input: (64, 52))
    #expect(abs(Double(found[0].x) - 4 * x) < 1e-3)
    #expect(abs(Double(found[0].y) - 4 * y) < 1e-3)
    #expect(found[0].score == values.max())
  }

  @Test func `a parabola without a near top keeps the cell`() throws {
    let options = HeatmapOptions(refinement: .parabola)
    var values = [Float](repeating: 0.5, count: 49)
    values[3 * 7 + 3] = 0.5001
    values[3 * 7 + 4] = 0.50009
    values[3 * 7 + 5] = 0.50009
    let ridge = try points(values, [7, 7, 1], options)
    #expect(ridge == [DecodedPoint(x: 3, y: 3, score: 0.5001)])
    let flat = try points([Float](repeating: 1, count: 49), [7, 7, 1], options)
    #expect(flat == [DecodedPoint(x: 0, y: 0, score: 1)])
  }

  @Test func `a quarter of a cell points to the greater neighbor`() throws {
    let options = HeatmapOptions(refinement: .quarter, stride: 4)
    var values = [Float](repeating: 0, count: 25)
    values[2 * 5 + 2] = 1
    values[2 * 5 + 3] = 0.5
    values[1 * 5 + 2] = 0.25
    #expect(try points(values, [5, 5, 1], options) == [DecodedPoint(x: 9, y: 7, score: 1)])
    values[2 * 5 + 1] = 0.5
    #expect(try points(values, [5, 5, 1], options) == [DecodedPoint(x: 8, y: 7, score: 1)])
    values[2 * 5 + 3] = .nan
    #expect(try points(values, [5, 5, 1], options) == [DecodedPoint(x: 8, y: 7, score: 1)])
  }

  @Test(arguments: [
    (0, 0, 0.0, 0.0), (1, 2, 0, 0.25), (2, 1, 0.25, 0), (2, 0, 0, 0), (0, 2, 0, 0), (4, 2, 0, 0.25),
    (2, 4, 0.25, 0), (4, 4, 0, 0),
  ])
  func `a quarter is added where MMPose adds it`(x: Int, y: Int, dx: Double, dy: Double) throws {
    // The scores grow to the right and down.
    var values: [Float] = (0..<25).map { Float($0 % 5 + $0 / 5) }
    values[y * 5 + x] = 100
    let found = try points(values, [5, 5, 1], HeatmapOptions(refinement: .quarter))
    #expect(found[0].x == Float(Double(x) + dx))
    #expect(found[0].y == Float(Double(y) + dy))
  }

  @Test(arguments: [nil, 32] as [Float?])
  func `offsets are added to the cell's pixels, as in PoseNet`(stride: Float?) throws {
    var scores = [Float](repeating: -5, count: 9 * 9 * 2)
    scores[(4 * 9 + 7) * 2 + 1] = 0
    scores[(8 * 9 + 1) * 2] = 3
    var offsets = [Float](repeating: 1000, count: 9 * 9 * 4)
    // The order is y of both points, then x of both.
    offsets.replaceSubrange((4 * 9 + 7) * 4..<(4 * 9 + 8) * 4, with: [-1, 2.5, -2, 3.5])
    offsets.replaceSubrange((8 * 9 + 1) * 4..<(8 * 9 + 2) * 4, with: [-7, 8, .nan, 9])
    let decoder = try HeatmapDecoder(
      shape: [1, 9, 9, 2], offsetShape: [1, 9, 9, 4], input: (257, 257),
      options: HeatmapOptions(refinement: .offsets, stride: stride, activation: .sigmoid))
    let points = try decoder.decode(scores.span, offsets: offsets.span).points
    #expect(points[0].x == 32)
    #expect(points[0].y == 8 * 32 - 7)
    #expect(points[1] == DecodedPoint(x: 7 * 32 + 3.5, y: 4 * 32 + 2.5, score: 0.5))
  }

  @Test func `the size of cells follows from the input or is given`() throws {
    var values = [Float](repeating: 0, count: 12)
    values[1 * 4 + 3] = 1
    let input = (width: 192, height: 256)
    let follows = try points(values, [3, 4, 1], HeatmapOptions(), input: input)
    #expect(follows == [DecodedPoint(x: 144, y: Float(256.0 / 3), score: 1)])
    let given = try points(values, [3, 4, 1], HeatmapOptions(stride: 5), input: input)
    #expect(given == [DecodedPoint(x: 15, y: 5, score: 1)])
  }

  @Test func `the first of the greatest scores wins, and NaN never does`() throws {
    let values: [Float] = [.nan, 1, 2, .nan, 2, -.infinity]
    let found = try points(values, [1, 2, 3], HeatmapOptions(layout: .channelsFirst))
    #expect(found == [DecodedPoint(x: 2, y: 0, score: 2)])
    let low: [Float] = [.nan, -.infinity, -.infinity, -3]
    let scores = try points(low, [2, 2, 1], HeatmapOptions())
    #expect(scores == [DecodedPoint(x: 1, y: 1, score: -3)])
  }

  @Test func `a point whose scores are all NaN is an error that names it`() throws {
    let values: [Float] = [1, .nan, 1, .nan]
    let error = #expect(throws: DecodingError.self) {
      try points(values, [2, 1, 2], HeatmapOptions())
    }
    #expect(error?.message.contains("keypoint 1 are NaN") == true)
  }

  @Test func `the box surrounds the points, and its score is their mean`() throws {
    let values: [Float] = [0, 0, 0.5, 0, 0, 0, 0, 1]
    let decoder = try HeatmapDecoder(
      shape: [2, 1, 4], input: (8, 2), options: HeatmapOptions(layout: .channelsFirst))
    let pose = try decoder.decode(values.span)
    #expect(decoder.count == 2)
    #expect(pose.box == DecodedBox(left: 4, top: 0, right: 6, bottom: 0, score: 0.75))
  }

  @Test(arguments: [
    [], [3], [4, 4], [0, 4, 1], [-1, 4, 1], [2, 4, 4, 2], [1 << 40, 1 << 40, 1],
  ])
  func `a shape that isn't a stack of maps is an error`(shape: [Int]) {
    #expect(throws: DecodingError.self) {
      try HeatmapDecoder(shape: shape, input: (8, 8), options: HeatmapOptions())
    }
  }

  @Test func `options that don't fit each other are errors`() throws {
    func decoder(
      _ options: HeatmapOptions, _ offsets: [Int]? = nil, width: Int = 8
    ) throws -> HeatmapDecoder {
      try HeatmapDecoder(
        shape: [4, 4, 2], offsetShape: offsets, input: (width, 8), options: options)
    }
    let withOffsets = HeatmapOptions(refinement: .offsets)
    #expect(throws: DecodingError.self) { try decoder(HeatmapOptions(activation: .softmax)) }
    #expect(throws: DecodingError.self) { try decoder(withOffsets) }
    #expect(throws: DecodingError.self) { try decoder(HeatmapOptions(), [4, 4, 4]) }
    #expect(throws: DecodingError.self) { try decoder(withOffsets, [4, 4, 2]) }
    #expect(throws: DecodingError.self) { try decoder(withOffsets, [4, 5, 4]) }
    #expect(throws: DecodingError.self) { try decoder(withOffsets, [4, 4, 4], width: 1) }
    for stride: Float in [0, -1, .infinity, .nan] {
      #expect(throws: DecodingError.self) { try decoder(HeatmapOptions(stride: stride)) }
    }
    let right = try decoder(withOffsets, [4, 4, 4])
    let values = [Float](repeating: 0, count: 32)
    let offsets = [Float](repeating: 0, count: 64)
    #expect(throws: DecodingError.self) { try right.decode(values.span) }
    #expect(throws: DecodingError.self) { try right.decode(values.span, offsets: values.span) }
    #expect(throws: DecodingError.self) { try right.decode(offsets.span, offsets: offsets.span) }
    #expect(try right.decode(values.span, offsets: offsets.span).points.count == 2)
    let without = try decoder(HeatmapOptions())
    #expect(throws: DecodingError.self) { try without.decode(values.span, offsets: offsets.span) }
  }
}
