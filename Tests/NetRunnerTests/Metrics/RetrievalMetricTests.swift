// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TestSupport
import Testing

@testable import NetRunner

@Suite struct RetrievalMetricTests {
  /// Vectors of images for our metric and the Python metric.
  struct Case: Encodable {
    var kind = "retrieval"
    var labels: [String]
    /// Nil for images that failed.
    var vectors: [[Float]?]

    /// The report, merged from the items of two parts.
    func report(_ metric: String = "retrieval") throws -> MetricReport {
      let metric = try MetricRegistry.standard.metric(
        named: metric, context: MetricContext(labels: []))
      var whole = MetricAccumulator(metric)
      for part in 0...1 {
        var accumulator = MetricAccumulator(metric)
        let own = labels.indices.filter { $0 % 2 == part }
        for index in own {
          let prediction = vectors[index].map { vector in
            var prediction = Prediction()
            prediction.embedding = vector
            return prediction
          }
          try accumulator.add(.label(labels[index]), prediction, at: index)
        }
        try whole.merge(try accumulator.items(at: own), at: own)
      }
      return try whole.report()
    }

    /// Random vectors near the centre of their class, or with few different numbers.
    static func random(
      seed: UInt64, images: Int = 40, classes: Int = 4, width: Int = 7, noise: Double = 1,
      failing: Double = 0, levels: Double? = nil
    ) -> Self {
      var random = TestNumbers(seed: seed)
      var result = Self(labels: [], vectors: [])
      let centres = (0..<classes).map { _ in (0..<width).map { _ in random.unit() - 0.5 } }
      for _ in 0..<images {
        let number = Int.random(in: 0..<classes, using: &random)
        result.labels.append("class \(number)")
        let vector = centres[number].map { centre in
          let value = centre + noise * (random.unit() - 0.5)
          return Float(levels.map { (value * $0).rounded() } ?? value)
        }
        result.vectors.append(random.unit() < failing ? nil : vector)
      }
      return result
    }
  }

  @Test(.enabled(if: MetricPeer.isThere, MetricPeer.reason))
  func `every value equals that of scikit-learn's cosines and precisions`() async throws {
    let cases =
      (1...10).map { Case.random(seed: $0, noise: Double($0) / 5, failing: Double($0 % 2) / 5) } + [
        .random(seed: 20, images: 30, classes: 20), .random(seed: 21, width: 1),
        .random(seed: 22, width: 512), .random(seed: 23, images: 8, failing: 0.7),
        .random(seed: 24, images: 120, classes: 3, width: 16),
        Case(labels: ["a", "b"], vectors: [[1], [1]]),
        Case(labels: ["a", "a"], vectors: [nil, [1]]),
        Case(labels: ["a", "a"], vectors: [nil, nil]), Case(labels: [], vectors: []),
        // Powers of two have exact cosines, so that equal ones are equal in Python, too.
        Case(
          labels: ["a", "b", "a", "b", "a"], vectors: [[1, 0], [2, 0], [4, 0], [0, 0], [0, 8]]),
      ]
    let answers = try await MetricPeer.answers(cases)
    try #require(answers.count == cases.count)
    for (index, (item, theirs)) in zip(cases, answers).enumerated() {
      let report = try item.report()
      #expect(report.values.count == 7)
      for value in report.values {
        #expect(
          isClose(value.value, theirs[value.name] ?? nil),
          "\(index): \(value.name) is \(value.value ?? .nan), not \(theirs[value.name] as Any)")
      }
      #expect(report.classes?.count == theirs.keys.count { $0.hasPrefix("class.") } / 2)
      for entry in report.classes ?? [] {
        for (key, value) in entry.values {
          #expect(isClose(value, theirs["class.\(entry.label).\(key)"] ?? nil), "\(index): \(key)")
        }
      }
    }
  }

  @Test func `images that are alone in their class and failed ones are noted`() throws {
    let item = Case(labels: ["a", "a", "a", "b"], vectors: [[1, 0], [1, 0.5], nil, [0, 1]])
    let report = try item.report("hit_at_1")
    #expect(report.values.map(\.name) == ["hit_at_1"])
    #expect(report.values[0].value.map { ($0 * 3).rounded() } == 2)
    #expect(report.values[0].count == 3)
    #expect(
      report.notes == [
        "1 of 4 images failed: as queries they find nothing, and no query finds them.",
        "1 image isn't a query, because no other image has the class.",
      ])
    let empty = try Case(labels: ["a", "b"], vectors: [[1], [1]]).report()
    #expect(empty.values.allSatisfy { $0.value == nil && $0.interval == nil })
    #expect(empty.notes == ["No value is defined: no two images have the same class."])
  }

  @Test func `a model without vectors is an error that says what to add`() throws {
    let metric = RetrievalMetric(name: "retrieval", context: MetricContext(labels: []))
    let error = #expect(throws: TensorIOError.self) {
      try metric.evaluate(.label("a"), Prediction())
    }
    #expect(error?.message.contains("the type \"embedding\"") == true)
    #expect(throws: TensorIOError.self) {
      try Case(labels: ["a"], vectors: [[.nan, 1]]).report()
    }
    #expect(throws: TensorIOError.self) {
      try Case(labels: ["a", "a"], vectors: [[1, 1], [1]]).report()
    }
    #expect(try metric.evaluate(.values([1]), Prediction()) == nil)
  }
}
