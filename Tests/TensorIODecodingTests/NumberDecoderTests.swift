// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import Testing

@testable import TensorIODecoding

@Suite struct NumberDecoderTests {
  private func decoded(
    _ shape: [Int], _ values: [Float], _ decode: String, assets: [String: String] = [:]
  ) throws -> DecodedValue {
    let backend = FixedOutputs(image: nil, outputs: [("output", shape, values)])
    return try backend.model(decode: decode, assets: assets).run(1).decoded("output")
  }

  @Test func `labels above the threshold are sorted`() throws {
    let value = try decoded(
      [1, 3], [2, -3, 4], #"{"type": "multi-label", "activation": "sigmoid", "labels": "l.txt"}"#,
      assets: ["l.txt": "sea\nsand\nsky\n"])
    guard case .labels(let labels) = value else {
      Issue.record("\(value) isn't a list of labels.")
      return
    }
    #expect(labels.map(\.label) == ["sky", "sea"])
    #expect(labels.map(\.index) == [2, 0])
    #expect(abs(labels[0].score - 0.98201379) < 1e-6)
  }

  @Test func `two classes are decided by one score`() throws {
    let decode = #"{"type": "binary", "activation": "sigmoid", "labels": "l.txt"}"#
    let backend = FixedOutputs(image: nil, outputs: [("output", [1, 1], [2])])
    let outputs = try backend.model(decode: decode, assets: ["l.txt": "cat\ndog\n"]).run(1)
    guard case .labels(let labels) = try outputs.decoded("output") else {
      Issue.record("The output isn't a list of labels.")
      return
    }
    #expect(labels.map(\.label) == ["dog", "cat"])
    #expect(labels.map(\.index) == [1, 0])
    #expect(abs(labels[0].score - 0.88079708) < 1e-6)
    // As a value, it is like the scores of a classifier, in the order of the classes.
    guard case .labels(let scores) = try outputs.values()[0].value else {
      Issue.record("The value isn't a classification.")
      return
    }
    #expect(scores.map(\.label) == ["cat", "dog"])
    #expect(abs(scores[0].value - 0.11920292) < 1e-6)
  }

  @Test(arguments: ["cat\n", "cat\ndog\nbird\n"])
  func `one score doesn't decide one label or three`(labels: String) throws {
    let error = #expect(throws: TensorIOError.self) {
      try decoded([1], [0.5], #"{"type": "binary", "labels": "l.txt"}"#, assets: ["l.txt": labels])
    }
    #expect(error?.message.contains("a single score decides two classes") == true)
  }

  @Test func `too few labels are an error`() throws {
    let error = #expect(throws: TensorIOError.self) {
      try decoded(
        [1, 3], [2, -3, 4], #"{"type": "multi-label", "labels": "l.txt"}"#,
        assets: ["l.txt": "sea\n"])
    }
    #expect(error?.message.contains("1 name, but there are 3 scores") == true)
  }

  @Test func `measurements have names and units`() throws {
    let value = try decoded(
      [1, 2], [0.5, 2],
      #"{"type": "regression", "names": ["height", "age"], "units": ["cm", "years"], "scale": [100, 10], "bias": [1, 0]}"#
    )
    #expect(
      value
        == .measurements([
          Measurement(name: "height", value: 51, unit: "cm"),
          Measurement(name: "age", value: 20, unit: "years"),
        ]))
  }

  @Test func `a reconstruction that can't be compared is an error`() {
    let error = #expect(throws: TensorIOError.self) {
      try decoded([1, 3], [2, -3, 4], #"{"type": "reconstruction"}"#)
    }
    #expect(error?.message.contains("as many numbers as the input") == true, "\(error as Any)")
  }

  @Test func `an ordinal output is a number in its unit`() throws {
    let value = try decoded(
      [1, 4], [3, 2, -1, -4],
      #"{"type": "ordinal", "values": [1, 2, 3, 4, 5], "unit": "stars"}"#)
    #expect(value == .measurements([Measurement(name: "output", value: 3, unit: "stars")]))
  }

  @Test func `a depth map has its range, and near pixels are light`() throws {
    let value = try decoded([1, 2, 2, 1], [1, 3, 2, .nan], #"{"type": "depth", "unit": "m"}"#)
    guard case .depth(let map) = value else {
      Issue.record("\(value) isn't a map.")
      return
    }
    #expect((map.width, map.height) == (2, 2))
    #expect((map.minimum, map.maximum) == (1, 3))
    #expect(map.unit == "m")
    let bytes = map.image().withBytes { span in span.withUnsafeBytes { Array($0.prefix(4)) } }
    #expect(bytes == [255, 0, 128, 0])
  }

  @Test func `a depth map may have the whole range of numbers`() {
    let map = DepthMap(
      width: 3, height: 1, values: [-3e38, 0, 3e38], minimum: -3e38, maximum: 3e38)
    let bytes = map.image().withBytes { span in span.withUnsafeBytes { Array($0.prefix(3)) } }
    #expect(bytes == [255, 128, 0])
  }

  @Test func `text is read from the symbols of each step`() throws {
    // Steps: h, h, blank, i.
    let value = try decoded(
      [1, 4, 3], [9, 0, 0, 9, 0, 0, 0, 0, 9, 0, 9, 0], #"{"type": "ctc", "labels": "a.txt"}"#,
      assets: ["a.txt": "h\ni\n"])
    guard case .text(let text) = value else {
      Issue.record("\(value) isn't text.")
      return
    }
    #expect(text.text == "hi")
    #expect((text.score ?? 0) > 0.99)
  }

  @Test func `tokens become words until the end`() throws {
    let value = try decoded(
      [1, 4], [1, 2, 3, 0],
      #"{"type": "tokens", "labels": "v.txt", "end": "[SEP]", "join": "wordpiece"}"#,
      assets: ["v.txt": "[PAD]\nplay\n##ing\n[SEP]\n[UNK]\n"])
    #expect(value == .text(RecognizedText(text: "playing")))
  }

  @Test func `every kind of value has JSON and lines`() throws {
    let values: [(DecodedValue, String)] = [
      (.labels([ScoredLabel(index: 1, label: "sky", score: 0.5)]), "0.5000  sky"),
      (.measurements([Measurement(name: "age", value: 20, unit: "years")]), "age  20.0 years"),
      (.text(RecognizedText(text: "hi", score: 0.25)), "hi  (0.2500)"),
      (
        .embedding(
          Embedding(vector: [1, 0], nearest: [ScoredLabel(index: 0, label: "a", score: 1)])),
        "2 numbers"
      ),
    ]
    for (value, line) in values { #expect(value.lines.first == line) }
    #expect(
      values[1].0.json()
        == .object(["age": .object(["value": .number(20), "unit": .string("years")])]))
  }
}
