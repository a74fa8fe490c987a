// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

@testable import NetRunner

@Suite struct RegressionMetricTests {
  /// Numbers for our metric and the Python metric.
  struct Case: Encodable {
    var kind = "regression"
    var name: String
    var truths: [[Double]]
    var predictions: [[Double]?]

    func report(_ metric: String = "regression") throws -> MetricReport {
      var accumulator = MetricAccumulator(
        try MetricRegistry.standard.metric(named: metric, context: MetricContext(labels: [])))
      for index in truths.indices {
        try accumulator.add(
          .values(truths[index]),
          predictions[index].map { Prediction(values: $0.map(Float.init)) }, at: index)
      }
      return try accumulator.report()
    }

    static func random(
      _ name: String, seed: UInt64, images: Int, outputs: Int, failing: Double = 0
    ) -> Self {
      var random = TestNumbers(seed: seed)
      var result = Self(name: name, truths: [], predictions: [])
      for _ in 0..<images {
        let truth = (0..<outputs).map { _ in 100 * random.unit() - 20 }
        result.truths.append(truth)
        let numbers = truth.map { Double(Float($0 + 5 * random.unit())) }
        result.predictions.append(random.unit() < failing ? nil : numbers)
      }
      return result
    }
  }

  static let cases: [Case] = [
    .random("one output", seed: 1, images: 50, outputs: 1),
    .random("several outputs", seed: 2, images: 40, outputs: 4),
    .random("failures", seed: 3, images: 40, outputs: 2, failing: 0.3),
    .random("one image", seed: 4, images: 1, outputs: 1),
    .random("two images", seed: 5, images: 2, outputs: 3),
    .random("all failed", seed: 6, images: 3, outputs: 1, failing: 2),
    Case(
      name: "perfect", truths: [[1], [2], [3]], predictions: [[1], [2], [3]]),
    Case(
      name: "constant and right", truths: [[2], [2], [2]], predictions: [[2], [2], [2]]),
    Case(
      name: "constant and wrong", truths: [[2], [2], [2]], predictions: [[2], [3], [2]]),
  ]

  @Test(.enabled(if: MetricPeer.isThere, MetricPeer.reason))
  func `every value equals scikit-learn's`() async throws {
    let answers = try await MetricPeer.answers(Self.cases)
    for (item, theirs) in zip(Self.cases, answers) {
      let report = try item.report()
      #expect(
        report.values.map(\.name) == [
          "mae", "rmse", "r2", "median_absolute_error", "max_error", "mape", "explained_variance",
          "pearson", "spearman",
        ])
      for value in report.values {
        #expect(isClose(value.value, theirs[value.name] ?? nil), "\(item.name): \(value.name)")
        guard let lower = theirs["\(value.name).lower"] else { continue }
        #expect(isClose(value.interval?.lower, lower), "\(item.name): \(value.name)")
      }
      for entry in report.classes ?? [] {
        for (key, value) in entry.values {
          #expect(
            isClose(value, theirs["class.\(entry.label).\(key)"] ?? nil),
            "\(item.name): \(entry.label) \(key)")
        }
      }
    }
  }

  @Test func `failed images are omitted and noted`() throws {
    let report = try Case(name: "", truths: [[1], [2]], predictions: [[3], nil]).report()
    #expect(report.values[0].value == 2)
    #expect(report.values[0].count == 1)
    #expect(report.notes[0].hasPrefix("1 of 2 images failed"))
    #expect(report.values[2].value == nil)
    #expect(report.notes.contains("r2 is not defined for fewer than two images."))
    #expect(report.notes.contains("spearman is not defined for fewer than two images."))
  }

  @Test func `if a prediction is NaN, no value is defined`() throws {
    let report = try Case(name: "", truths: [[1], [2]], predictions: [[.nan], [2]]).report()
    #expect(report.values.allSatisfy { $0.value == nil })
    #expect(
      report.notes == ["Nothing is defined: the model gave NaN or infinity for 1 of 2 images."])
  }

  @Test func `a wrong number of values is an error that names both numbers`() throws {
    let error = #expect(throws: TensorIOError.self) {
      try Case(name: "", truths: [[1, 2]], predictions: [[1]]).report()
    }
    #expect(error?.code == .wrongElementCount)
    #expect(
      error?.message.contains("2 numbers for an image, but the model's output has 1") == true)
  }

  @Test func `a constant truth that isn't a binary fraction has a defined r2`() throws {
    let truths = [[Double]](repeating: [0.1], count: 7)
    let report = try Case(
      name: "", truths: truths, predictions: truths.map { $0.map { $0 + 1 } }
    ).report("r2")
    #expect(report.values.map(\.value) == [0])
  }
}
