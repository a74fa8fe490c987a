// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import Testing

struct PostprocessDecoderTests {
  private let boxes: [Float] = [0.1, 0.2, 0.3, 0.4, 0.1, 0.2, 0.3, 0.4, 0, 0, 1, 1]
  private let classes: [Float] = [2, 0, 1]
  private let scores: [Float] = [0.5, 0.9, 0.7]

  private func sources(_ count: Float?) throws -> [Int] {
    let decoder = try PostprocessDecoder(
      boxShape: [1, 3, 4], selection: BoxSelection(suppression: .none))
    let (boxes, classes, scores) = (boxes, classes, scores)
    return try decoder.decode(
      boxes: boxes.span, classes: classes.span, scores: scores.span, count: count
    ).boxes.map(\.source)
  }

  @Test func `boxes are top, left, bottom and right`() throws {
    let decoder = try PostprocessDecoder(boxShape: [1, 3, 4], selection: BoxSelection(top: 1))
    let (boxes, classes, scores) = (boxes, classes, scores)
    let found = try decoder.decode(boxes: boxes.span, classes: classes.span, scores: scores.span)
    #expect(
      found.boxes == [
        DecodedBox(
          left: 0.2, top: 0.1, right: 0.4, bottom: 0.3, score: 0.9, classIndex: 0, source: 1)
      ])
  }

  @Test(
    arguments: [
      (nil, [1, 2, 0]), (3, [1, 2, 0]), (2, [1, 0]), (0, []), (-1, []), (.nan, []),
      (.infinity, [1, 2, 0]), (-.infinity, []), (1e30, [1, 2, 0]),
    ] as [(Float?, [Int])])
  func `the count limits the boxes`(count: Float?, expected: [Int]) throws {
    #expect(try sources(count) == expected)
  }

  @Test func `other shapes and sizes are errors`() throws {
    for shape in [[1, 3, 5], [3], [2, 3, 4], []] {
      #expect(throws: DecodingError.self) {
        try PostprocessDecoder(boxShape: shape, selection: BoxSelection())
      }
    }
    let decoder = try PostprocessDecoder(boxShape: [3, 4], selection: BoxSelection())
    let (all, few) = (boxes, Array(boxes[..<2]))
    let three = scores
    #expect(throws: DecodingError.self) {
      try decoder.decode(boxes: few.span, classes: three.span, scores: three.span)
    }
    #expect(throws: DecodingError.self) {
      try decoder.decode(boxes: all.span, classes: few.span, scores: three.span)
    }
    #expect(throws: DecodingError.self) {
      try decoder.decode(boxes: all.span, classes: three.span, scores: few.span)
    }
  }
}
