// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TensorIO

@Suite struct ClassificationTests {
  private let birds = Classification(
    labels: Labels(["crane", "owl", "wren", "crane", "kite"]), values: [0.1, 0.4, 0.1, 0.3, 0])

  @Test func `all values are in the labels' order`() {
    #expect(birds.map(\.label) == ["crane", "owl", "wren", "crane", "kite"])
    #expect(birds.map(\.value) == [0.1, 0.4, 0.1, 0.3, 0])
  }

  @Test func `the highest values come first, and equal ones in the labels' order`() {
    let top = birds.top()
    #expect(top.map(\.label) == ["owl", "crane", "crane", "wren", "kite"])
    #expect(top.map(\.value) == [0.4, 0.3, 0.1, 0.1, 0])
  }

  @Test(
    arguments: [
      (5, 0.1, ["owl", "crane"]), (1, 0.1, ["owl"]), (0, nil, []), (-3, nil, []), (nil, 0.4, []),
      (99, nil, ["owl", "crane", "crane", "wren", "kite"]),
      (3, 0.09999999, ["owl", "crane", "crane"]),
      (nil, -1, ["owl", "crane", "crane", "wren", "kite"]),
      (nil, .nan, []),
    ] as [(Int?, Float?, [String])])
  func `only values strictly above the threshold are kept`(
    _ count: Int?, _ threshold: Float?, _ labels: [String]
  ) {
    #expect(birds.top(count, threshold: threshold).map(\.label) == labels)
  }

  @Test func `if two classes have the same name, the dictionary has the last one`() {
    #expect(birds.dictionary == ["crane": 0.3, "owl": 0.4, "wren": 0.1, "kite": 0])
    #expect(birds[label: "crane"] == 0.3)
    #expect(birds[label: "dodo"] == nil)
  }

  @Test func `in a selection, a repeated name has its lowest value`() {
    let top = birds.top(3)
    #expect(top.map(\.label) == ["owl", "crane", "crane"])
    #expect(top.dictionary["crane"] == 0.1)
    #expect(top[label: "crane"] == 0.1)
  }

  @Test func `NaN is never among the highest values`() {
    let values = Classification(labels: Labels(["a", "b", "c"]), values: [.nan, 1, -.infinity])
    #expect(values.top().map(\.label) == ["b", "c"])
    #expect(values.top(threshold: -1).map(\.label) == ["b"])
    #expect(values.count == 3)
  }

  @Test func `selecting again from a selection gives the same values`() {
    #expect(birds.top(3).top() == birds.top(3))
    #expect(birds.top().top(2, threshold: 0.1) == birds.top(2))
    #expect(birds.top(2) != birds.top(3))
  }

  @Test func `negative zero and zero are equal`() {
    let values = Classification(labels: Labels(["a", "b"]), values: [-0.0, 0])
    #expect(values.top().map(\.label) == ["a", "b"])
  }

  @Test func `fewer values than labels classify the first labels`() {
    let values = Classification(labels: Labels(["a", "b"]), values: [1])
    #expect(values.map(\.label) == ["a"])
  }

  @Test func `an output without labels isn't a classification`() {
    let spec = TensorSpec.numbers(.float32, [1])
    let error = #expect(throws: TensorIOError.self) {
      try Classification.decoded([1] as [Float], as: spec)
    }
    #expect(error?.code == .wrongOutputType)
    #expect(
      error?.message
        == "'x' cannot be read as Classification: model.json doesn't name labels for it.")
    #expect(throws: TensorIOError.self) { try [String: Float].decoded([1] as [Float], as: spec) }
  }

  @Test func `quantized bytes are dequantized before labels are assigned`() throws {
    let spec = TensorSpec.numbers(.uint8, [1, 2], .toZeroToOne, labels: ["a", "b"])
    #expect(try [String: Float].decoded([255, 0] as [UInt8], as: spec) == ["a": 1, "b": 0])
  }
}
