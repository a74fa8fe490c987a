// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import Testing

@testable import NetRunner

@Suite struct MetricAccumulatorTests {
  /// A report's every bit, as text.
  private func bits(_ report: MetricReport) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let numbers = report.values.map { ($0.value ?? .nan).bitPattern }
    return try "\(numbers) \(String(decoding: encoder.encode(report), as: UTF8.self))"
  }

  /// The items as read from a file.
  private func written(_ items: [JSONValue]) throws -> [JSONValue] {
    try JSONDecoder().decode([JSONValue].self, from: JSONEncoder().encode(items))
  }

  @Test(arguments: [1, 3, 7], ["ten classes", "failures", "binary with ties", "unknown labels"])
  func `merged parts give the same bits`(_ parts: Int, _ name: String) throws {
    let item = try #require(ClassificationCase.all.first { $0.name == name })
    let metric = try MetricRegistry.standard.metric(named: "classification", context: item.context)
    var whole = MetricAccumulator(metric)
    for index in item.truths.indices {
      try whole.add(.label(item.truths[index]), item.prediction(index), at: index)
    }
    var merged = MetricAccumulator(metric)
    for part in (0..<parts).reversed() {
      var accumulator = MetricAccumulator(metric)
      let indices = Array(stride(from: part, to: item.truths.count, by: parts))
      for index in indices.reversed() {
        try accumulator.add(.label(item.truths[index]), item.prediction(index), at: index)
      }
      try merged.merge(written(accumulator.items(at: indices)), at: indices)
    }
    #expect(merged.count == item.truths.count)
    #expect(try bits(merged.report()) == bits(whole.report()))
  }

  @Test(arguments: [1, 3, 7])
  func `merged detections give the same bits`(_ parts: Int) throws {
    let item = DetectionCase.random("", seed: 77, steps: 4, crowds: 0.2, failing: 0.1)
    let metric = try MetricRegistry.standard.metric(
      named: "detection", context: MetricContext(labels: item.labels))
    var merged = MetricAccumulator(metric)
    for part in 0..<parts {
      var accumulator = MetricAccumulator(metric)
      let indices = Array(stride(from: part, to: item.images.count, by: parts))
      for index in indices {
        try accumulator.add(item.truth(index), item.prediction(index), at: index)
      }
      try merged.merge(written(accumulator.items(at: indices)), at: indices)
    }
    #expect(try bits(merged.report()) == bits(item.report()))
  }

  @Test func `indexes without an item are null and skipped`() throws {
    let metric = try MetricRegistry.standard.metric(
      named: "top1", context: MetricContext(labels: ["a"]))
    var accumulator = MetricAccumulator(metric)
    try accumulator.add(.label("a"), nil, at: 5)
    let items = try accumulator.items(at: 4...6)
    #expect(items.count == 3)
    #expect(items[0] == .null)
    #expect(items[1] != .null)
    #expect(items[2] == .null)
    var other = MetricAccumulator(metric)
    try other.merge(items, at: 4...6)
    #expect(other.count == 1)
  }

  @Test func `an image can only be added once`() throws {
    let metric = try MetricRegistry.standard.metric(
      named: "top1", context: MetricContext(labels: ["a"]))
    var accumulator = MetricAccumulator(metric)
    try accumulator.add(.label("a"), nil, at: 5)
    let items = try accumulator.items(at: [5])
    let twice = #expect(throws: TensorIOError.self) {
      try accumulator.add(.label("a"), nil, at: 5)
    }
    #expect(twice?.message.contains("image 5 twice") == true)
    #expect(throws: TensorIOError.self) { try accumulator.merge(items, at: [5]) }
    #expect(throws: TensorIOError.self) { try accumulator.merge(items, at: [6, 7]) }
  }

  @Test(
    arguments: [
      #"{"failed": 3}"#, #""text""#, "[]", #"{"truth": 1e30, "failed": false, "shared": false}"#,
      #"{"truth": 9, "failed": false, "shared": false}"#,
      #"{"truth": -1, "failed": false, "shared": false}"#,
      #"{"truth": 0, "predicted": 12, "failed": false, "shared": false}"#,
      #"{"failed": false, "shared": false}"#,
      #"{"truth": 0, "scores": "*", "failed": false, "shared": false}"#,
      #"{"truth": 0, "scores": "AAAA", "failed": false, "shared": false}"#,
    ])
  func `items that don't belong to the metric are errors, never a crash`(_ text: String) throws {
    let metric = try MetricRegistry.standard.metric(
      named: "classification", context: MetricContext(labels: ["a", "b"]))
    var accumulator = MetricAccumulator(metric)
    let item = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    let error = #expect(throws: TensorIOError.self) {
      try accumulator.merge([item], at: [0])
      _ = try accumulator.report()
    }
    #expect(error?.code == .wrongKind)
  }

  @Test(arguments: ["detection", "regression", "segmentation"])
  func `items of another metric are errors, never a crash`(_ name: String) throws {
    let context = MetricContext(labels: ["a"])
    let texts = [
      #"{"detections": "AAAAAAAA8D8=", "objects": "", "unknown": [], "failed": false, "dropped": 0}"#,
      #"{"truth": "AAAAAAAA8D8=", "predicted": "AAAAAAAA8D8AAAAAAADwPw=="}"#,
      #"{"counts": "AAAAAAAA8D8=", "failed": false}"#, #"{"failed": true}"#, "5",
    ]
    for text in texts {
      var accumulator = MetricAccumulator(
        try MetricRegistry.standard.metric(named: name, context: context))
      let item = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
      #expect(throws: TensorIOError.self, "\(text)") {
        try accumulator.merge([item], at: [0])
        _ = try accumulator.report()
      }
    }
  }

  /// Stores numbers unchanged.
  private struct Keeping: Metric {
    struct Item: Codable, Sendable {
      var double: Double
      var float: Float
    }
    let name = "keeping"
    let item: Item

    func evaluate(_ truth: GroundTruth, _ prediction: Prediction?) -> Item? { item }

    func reduce(_ items: [Item]) -> MetricReport {
      MetricReport(
        values: items.flatMap {
          [
            MetricValue("double", $0.double, count: 1),
            MetricValue("float", Double($0.float), count: 1),
          ]
        })
    }
  }

  @Test func `every number is unchanged after JSON encoding`() throws {
    var random = TestNumbers(seed: 5)
    var doubles: [Double] = [
      .nan, .infinity, -.infinity, -0.0, 0, 0.1, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
      .ulpOfOne, 0x1p53, 0x1p53 + 2, 0x1p63, -0x1p63, 1e18, 1e19, 1e300,
    ]
    for _ in 0..<300 { doubles.append(Double(bitPattern: random.next())) }
    for double in doubles where double.isFinite || !double.isSignalingNaN {
      let float = Float(bitPattern: UInt32(truncatingIfNeeded: double.bitPattern))
      let metric = Keeping(item: .init(double: double, float: float))
      var first = MetricAccumulator(metric)
      try first.add(.label(""), nil, at: 0)
      var second = MetricAccumulator(metric)
      try second.merge(written(first.items(at: [0])), at: [0])
      let values = try second.report().values.compactMap(\.value)
      let same = { (left: Double, right: Double) in
        left.bitPattern == right.bitPattern || (left.isNaN && right.isNaN)
      }
      #expect(values.count == 2 && same(values[0], double), "\(double)")
      #expect(values.count == 2 && same(values[1], Double(float)), "\(float)")
    }
  }
}
