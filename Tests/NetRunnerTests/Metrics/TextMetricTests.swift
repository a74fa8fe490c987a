// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TestSupport
import Testing

@testable import NetRunner

@Suite struct TextMetricTests {
  /// Texts for our metric and the Python metric.
  struct Case: Encodable {
    var kind = "text"
    var truths: [String]
    var predictions: [String?]

    func report(_ metric: String = "text") throws -> MetricReport {
      var accumulator = MetricAccumulator(
        try MetricRegistry.standard.metric(named: metric, context: MetricContext(labels: [])))
      for index in truths.indices {
        var prediction = Prediction()
        prediction.text = predictions[index]
        try accumulator.add(
          .label(truths[index]), predictions[index] == nil ? nil : prediction, at: index)
      }
      return try accumulator.report()
    }

    static func random(seed: UInt64, texts: Int) -> Self {
      var random = TestNumbers(seed: seed)
      let words = ["a", "bar", "Bär", "né", "7", "東京", "e\u{301}", "the", "👩‍👧"]
      func text() -> String {
        (0..<Int(random.unit() * 8)).map { _ in words[Int(random.unit() * Double(words.count))] }
          .joined(separator: random.unit() < 0.2 ? "  " : " ")
      }
      var result = Self(truths: [], predictions: [])
      for _ in 0..<texts {
        let truth = text()
        result.truths.append(truth)
        result.predictions.append(random.unit() < 0.2 ? nil : random.unit() < 0.3 ? truth : text())
      }
      return result
    }
  }

  @Test(.enabled(if: MetricPeer.isThere, MetricPeer.reason))
  func `every value equals Python's`() async throws {
    let cases =
      (1...20).map { Case.random(seed: $0, texts: 30) } + [
        Case(truths: ["one two three"], predictions: ["one too three four"]),
        Case(truths: [""], predictions: ["x"]), Case(truths: ["x"], predictions: [nil]),
      ]
    let answers = try await MetricPeer.answers(cases)
    for (item, theirs) in zip(cases, answers) {
      let report = try item.report()
      #expect(report.values.map(\.name) == ["wer", "cer", "exact_match"])
      for value in report.values {
        #expect(isClose(value.value, theirs[value.name] ?? nil), "\(item): \(value.name)")
      }
    }
  }

  @Test func `a failed image counts as an empty text`() throws {
    let report = try Case(truths: ["a b", "c"], predictions: [nil, "c"]).report()
    #expect(report.values.map(\.value) == [2.0 / 3, 0.75, 0.5])
    #expect(report.values.map(\.count) == [2, 2, 2])
  }

  @Test func `a model without text is an error that says what to add`() throws {
    let metric = try MetricRegistry.standard.metric(
      named: "wer", context: MetricContext(labels: []))
    var accumulator = MetricAccumulator(metric)
    let error = #expect(throws: TensorIOError.self) {
      try accumulator.add(.label("a"), Prediction(), at: 0)
    }
    #expect(error?.message.contains("\"ctc\" or \"tokens\"") == true)
  }
}
