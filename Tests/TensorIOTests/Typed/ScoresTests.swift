// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIOTesting
import Testing

@testable import TensorIO

private enum Pet: String, CaseIterable, ModelLabel {
  case cat, dog, bird
}

@Suite struct ScoresTests {
  private static func spec(_ labels: [String], count: Int) -> TensorSpec {
    TensorSpec(name: "pets", shape: [count], kind: .vector(nil, labels: Labels(labels)))
  }

  private static func decode<Label: ModelLabel>(
    _ values: [Float], _ labels: [String], as type: Label.Type
  ) throws -> Scores<Label> {
    try Scores.decode(values.span.bytes, as: spec(labels, count: values.count))
  }

  @Test func `the best label is the one with the highest value, and the first of equal ones`()
    throws
  {
    let scores = try Self.decode([0.2, 0.5, 0.5], ["cat", "dog", "bird"], as: Pet.self)
    #expect(scores.best == .dog)
    #expect(scores[.bird] == 0.5 && scores[.cat] == 0.2)
    #expect(scores.map(\.label) == [.cat, .dog, .bird])
    #expect(scores.top(2).map(\.label) == [.dog, .bird])
    #expect(scores.top(threshold: 0.2).count == 2)
  }

  @Test func `labels in another order than the cases keep their values`() throws {
    let scores = try Self.decode([1, 2, 3], ["bird", "cat", "dog"], as: Pet.self)
    #expect(scores.best == .dog)
    #expect(scores[.bird] == 1 && scores[.cat] == 2)
  }

  @Test func `NaN never wins, and scores of NaN alone are an error`() throws {
    let scores = try Self.decode([.nan, -1, .nan], ["cat", "dog", "bird"], as: Pet.self)
    #expect(scores.best == .dog)
    #expect(scores.top().map(\.label) == [.dog])
    let error = #expect(throws: TensorIOError.self) {
      try Self.decode([.nan, .nan], ["cat", "dog"], as: Pet.self)
    }
    #expect(error?.code == .wrongOutputType)
    #expect(error?.message.contains("all of its 2 values are NaN") == true)
  }

  @Test func `a label without a case names itself`() {
    let error = #expect(throws: TensorIOError.self) {
      try Self.decode([1, 2], ["cat", "horse"], as: Pet.self)
    }
    #expect(
      error?.message
        == "'pets' has the label 'horse', for which Pet has no value. Generate the type "
        + "again, or read the labels as String.")
  }

  @Test func `text can be the type of labels, also of those that repeat`() throws {
    let scores = try Self.decode([3, 1, 2], ["crane", "heron", "crane"], as: String.self)
    #expect(scores.best == "crane")
    #expect(scores[label: "crane"] == 2)
    #expect(scores[label: "owl"] == nil)
  }

  @Test func `labels beyond the last value don't matter`() throws {
    let scores = try Self.decode([1, 2], ["cat", "dog", "unknown"], as: Pet.self)
    #expect(scores.count == 2 && scores.best == .dog)
  }

  @Test func `an output without labels can't be read`() {
    let values: [Float] = [1, 2]
    let spec = TensorSpec(name: "x", shape: [2], kind: .vector(nil, labels: nil))
    let error = #expect(throws: TensorIOError.self) {
      try Scores<String>.decode(values.span.bytes, as: spec)
    }
    #expect(error?.code == .wrongOutputType)
  }

  // MARK: - Other labelled results

  @Test func `an object has a typed label and its own properties`() throws {
    let box = Box(x: 1, y: 2, width: 3, height: 4)
    let dog = Detection(classIndex: 1, label: "dog", score: 0.5, box: box)
    let labelled = try Labelled<Detection, Pet>(dog)
    #expect(labelled.label == .dog)
    #expect(labelled.box == box && labelled.score == 0.5 && labelled.result == dog)
    let horse = Detection(classIndex: 7, label: "7", score: 0.5, box: box)
    let error = #expect(throws: TensorIOError.self) { try Labelled<Detection, Pet>(horse) }
    #expect(error?.message.contains("has the label '7'") == true)
  }

  @Test func `a class map has typed classes`() throws {
    let shape = ClassMapShape(height: 2, width: 2, depth: 1)
    let spec = TensorSpec(
      name: "map", shape: [2, 2, 1], dataType: .uint8,
      kind: .classMap(shape, labels: Labels(["cat", "dog"])))
    let classes: [UInt8] = [0, 1, 1, 9]
    let map = try LabelledClassMap<Pet>.decode(classes.span.bytes, as: spec)
    #expect(map[0, 0] == .cat && map[1, 0] == .dog && map[1, 1] == nil)
    #expect(map.share(of: .dog) == 0.5 && map.share(of: .bird) == 0)
    #expect(map.width == 2 && map.legend.count == 3)
  }
}
