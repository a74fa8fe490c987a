// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import Testing

struct YOLODecoderTests {
  private func decoder(
    _ shape: [Int], _ options: YOLOOptions, _ selection: BoxSelection = BoxSelection()
  ) throws -> YOLODecoder {
    try YOLODecoder(shape: shape, options: options, selection: selection)
  }

  @Test func `each layout has its values`() throws {
    let v5: [Float] = [10, 20, 4, 6, 0.5, 0.2, 0.8]
    let v8: [Float] = [10, 20, 4, 6, 0.2, 0.4]
    let last: [Float] = [8, 17, 12, 23, 0.4, 1]
    let expected = DecodedBox(left: 8, top: 17, right: 12, bottom: 23, score: 0.4, classIndex: 1)
    for (layout, values, shape) in [
      (.v5, v5, [1, 1, 7]), (.v8, v8, [1, 6, 1]), (.v8Transposed, v8, [1, 6]),
      (.endToEnd, last, [1, 1, 6]),
    ] as [(YOLOOptions.Layout, [Float], [Int])] {
      let decoder = try decoder(shape, YOLOOptions(layout: layout))
      #expect(try decoder.decode(values.span).boxes == [expected], "\(layout)")
      #expect(decoder.count == 1)
      #expect(decoder.classes == (layout == .endToEnd ? nil : 2))
    }
  }

  @Test func `values behind the classes are points, coefficients and the angle`() throws {
    let values: [Float] = [10, 20, 4, 6, 0.9, 1, 2, 0.5, 7, 8, 1.5]
    let options = YOLOOptions(
      layout: .v8Transposed, classes: 1, points: 1, coefficients: 2, isOriented: true)
    let decoder = try decoder([1, 11], options)
    let objects = try decoder.decode(values.span)
    #expect(objects.boxes.first?.angle == 1.5)
    #expect(objects.points == [BoxPoint(x: 1, y: 2, score: 0.5)])
    let box = try #require(objects.boxes.first)
    #expect(try decoder.coefficients(of: box, in: values.span) == [7, 8])
  }

  @Test func `oriented end-to-end boxes have a center and a size`() throws {
    let values: [Float] = [10, 20, 4, 6, 0.9, 2, 0.5]
    let decoder = try decoder([1, 7], YOLOOptions(layout: .endToEnd, isOriented: true))
    #expect(
      try decoder.decode(values.span).boxes == [
        DecodedBox(
          left: 8, top: 17, right: 12, bottom: 23, score: 0.9, classIndex: 2, source: 0, angle: 0.5)
      ])
  }

  @Test(arguments: [YOLOOptions.Layout.v8, .v8Transposed])
  func `the first of equal classes wins, and undefined ones don't count`(
    layout: YOLOOptions.Layout
  ) throws {
    let values: [Float] = [10, 20, 4, 6, .nan, 0.3, 0.7, 0.7, -.infinity, .nan]
    let shape = layout == .v8 ? [10, 1] : [1, 10]
    let decoder = try decoder(shape, YOLOOptions(layout: layout))
    let boxes = try decoder.decode(values.span).boxes
    #expect(boxes.map(\.classIndex) == [2])
    #expect(boxes.map(\.score) == [0.7])
  }

  @Test(arguments: [YOLOOptions.Layout.v8, .v8Transposed, .v5])
  func `an infinite score drops its box`(layout: YOLOOptions.Layout) throws {
    let before: [Float] = layout == .v5 ? [10, 20, 4, 6, 1] : [10, 20, 4, 6]
    for activation in [.none, .sigmoid] as [BoxActivation] {
      for score in [.infinity, -.infinity, .nan] as [Float] {
        let values = before + [score, 0.9]
        let shape = layout == .v8 ? [values.count, 1] : [1, values.count]
        let options = YOLOOptions(layout: layout, activation: activation)
        let boxes = try decoder(shape, options).decode(values.span).boxes
        #expect(boxes.count == (score == .infinity ? 0 : 1), "\(activation) \(score)")
      }
    }
  }

  @Test func `more boxes than a block are found`() throws {
    // The columns are read in blocks of 2,048 boxes.
    var random = BoxNumbers(seed: 3)
    let count = 5_000
    var rows: [Float] = []
    for _ in 0..<count {
      rows += [random.number(0...600), random.number(0...600), 30, 30]
      rows += (0..<3).map { _ in random.unit() }
    }
    let selection = BoxSelection(threshold: 0.9, top: 5_000)
    let columns = rows.transposed(columns: 7)
    let first = try decoder([1, 7, count], YOLOOptions(layout: .v8), selection)
    let second = try decoder([1, count, 7], YOLOOptions(layout: .v8Transposed), selection)
    let boxes = try first.decode(columns.span).boxes
    #expect(try second.decode(rows.span).boxes == boxes)
    #expect(Set(boxes.map { $0.source / 2_048 }) == [0, 1, 2])
  }

  @Test func `a tensor without boxes has no objects`() throws {
    let values: [Float] = []
    for (layout, shape) in [
      (.v5, [1, 0, 85]), (.v8, [1, 84, 0]), (.v8Transposed, [1, 0, 84]), (.endToEnd, [1, 0, 6]),
    ] as [(YOLOOptions.Layout, [Int])] {
      let objects = try decoder(shape, YOLOOptions(layout: layout)).decode(values.span)
      #expect(objects == DecodedObjects())
    }
  }

  @Test func `a million end-to-end boxes are decoded`() throws {
    var values = [Float](repeating: 0, count: 6_000_000)
    for index in 0..<1_000_000 {
      values[index * 6 + 2] = 1
      values[index * 6 + 3] = 1
      values[index * 6 + 4] = 0.3 + Float(index) * 1e-7
      values[index * 6 + 5] = Float(index % 3)
    }
    let decoder = try decoder([1_000_000, 6], YOLOOptions(layout: .endToEnd))
    let boxes = try decoder.decode(values.span).boxes
    #expect(boxes.count == 3)
    #expect(boxes[0].source > 999_990)
  }

  @Test func `classes that are no index drop their box`() throws {
    let classes: [Float] = [.nan, .infinity, -1, 1e20, 3, -0.2]
    let values = classes.enumerated().flatMap { index, number -> [Float] in
      [Float(index) * 10, 0, Float(index) * 10 + 5, 5, 0.9, number]
    }
    let decoder = try decoder([6, 6], YOLOOptions(layout: .endToEnd))
    #expect(try decoder.decode(values.span).boxes.map(\.classIndex) == [3, 0])
  }

  @Test(arguments: [
    ([1, 84, 10], YOLOOptions(layout: .v8, classes: 79)),
    ([1, 84, 10], YOLOOptions(layout: .v8, points: 27)),
    ([1, 84, 5], YOLOOptions(layout: .v5)),
    ([1, 10, 7], YOLOOptions(layout: .endToEnd)),
    ([1, 4, 10], YOLOOptions(layout: .v8)),
    ([2, 84, 10], YOLOOptions(layout: .v8)),
    ([84], YOLOOptions(layout: .v8)),
    ([], YOLOOptions(layout: .v8)),
    ([-1, 84], YOLOOptions(layout: .v8Transposed)),
    ([Int.max, 84], YOLOOptions(layout: .v8Transposed)),
    ([1, 84, 10], YOLOOptions(layout: .v8, points: .max)),
    ([1, 84, 10], YOLOOptions(layout: .v8, classes: .min)),
    ([1, 84, 10], YOLOOptions(layout: .v8, coefficients: -1)),
    ([1, 84, 10], YOLOOptions(layout: .v8, activation: .softmax)),
  ])
  func `a shape that doesn't fit is an error`(shape: [Int], options: YOLOOptions) {
    #expect(throws: DecodingError.self) { try decoder(shape, options) }
  }

  @Test func `an error says which values were expected`() {
    let options = YOLOOptions(layout: .v8, classes: 1, points: 17)
    let error = #expect(throws: DecodingError.self) { try decoder([1, 84, 10], options) }
    #expect(
      error?.message == "The boxes have 84 values each, but 4 + 1 for classes + 3 x 17 for points "
        + "were expected. Check the layout 'v8', the shape [1, 84, 10] and the options.")
  }

  @Test func `oriented boxes can't be blended`() {
    let options = YOLOOptions(layout: .v8, isOriented: true)
    #expect(throws: DecodingError.self) {
      try decoder([1, 6, 10], options, BoxSelection(suppression: .weighted))
    }
  }

  @Test func `a tensor of another size is an error`() throws {
    let values = [Float](repeating: 0, count: 83)
    let decoder = try decoder([84, 1], YOLOOptions(layout: .v8))
    #expect(throws: DecodingError.self) { try decoder.decode(values.span) }
    let box = DecodedBox(left: 0, top: 0, right: 1, bottom: 1)
    #expect(throws: DecodingError.self) { try decoder.coefficients(of: box, in: values.span) }
  }

  @Test func `the coefficients of a box of another tensor are an error`() throws {
    let values = [Float](repeating: 0, count: 7)
    let options = YOLOOptions(layout: .v8, coefficients: 2)
    let decoder = try decoder([7, 1], options)
    for source in [-1, 1, Int.max, Int.min] {
      let box = DecodedBox(left: 0, top: 0, right: 1, bottom: 1, source: source)
      #expect(throws: DecodingError.self) { try decoder.coefficients(of: box, in: values.span) }
    }
  }
}
