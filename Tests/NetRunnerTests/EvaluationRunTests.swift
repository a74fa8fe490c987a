// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOLiteRT
import TestSupport
import Testing

@testable import NetRunner

@Suite struct EvaluationRunTests {
  private static let demo = EvaluatorTests.demo

  private static func evaluate(
    _ dataset: Dataset, threads: Int = 2, part: PartRecord? = nil, limit: Int? = nil,
    names: [String] = ["digits"]
  ) throws -> EvaluationReport {
    var options = EvaluationOptions()
    options.threads = threads
    let run = try EvaluationRun(dataset, options: options, limit: limit, part: part)
    return try run.evaluate(
      names.map { try ModelBundle("\(demo)/\($0).tiobundle") }, with: [.liteRT])
  }

  private static func digits() throws -> Dataset {
    var dataset = try Dataset(contentsOf: "\(demo)/digits.testbundle")
    dataset.samples.insert(
      Sample(id: "gone.png", source: .file("\(demo)/gone.png"), truth: .label("one")), at: 3)
    dataset.samples[7].truth = .label("a horse")
    return dataset
  }

  @Test(arguments: [1, 2, 7, 64])
  func `merged parts give the same report`(count: Int) throws {
    let dataset = try Self.digits()
    // Resampling is slow in a debug build, so only one of the cases has two models.
    let names = count == 2 ? ["digits", "digits-int8"] : ["digits"]
    let whole = try Self.evaluate(dataset, names: names)
    let parts = try (1...count).map {
      try Self.evaluate(dataset, part: PartRecord(index: $0, count: count), names: names)
    }
    let written = try parts.map { try EvaluationReport(json: $0.json()) }
    let merged = try EvaluationReport.merging(parts: written.reversed())
    #expect(try merged.withoutTimes().json() == whole.withoutTimes().json())
  }

  @Test func `an image that fails has a row and counts as wrong`() throws {
    let report = try Self.evaluate(Self.digits(), names: ["digits"])
    #expect(report.results.count == 21)
    let failed = report.results[3]
    #expect(failed.error)
    #expect(failed.isCorrect == false)
    #expect(failed.errorDescription?.contains("gone.png") == true)
    #expect(report.models[0].failed == 1)
    let top1 = report.models[0].metrics["classification"]?.values.first { $0.name == "top1" }
    #expect(top1?.count == 21)
    #expect(top1?.value == 19.0 / 21)
    #expect(report.summary[0].classificationAccuracy == 19.0 / 21)
  }

  @Test func `a limit selects the first images`() throws {
    let report = try Self.evaluate(Self.digits(), limit: 5, names: ["digits"])
    #expect(report.results.map(\.index) == Array(0..<5))
  }

  @Test func `any number of threads gives the same report`() throws {
    let dataset = try Self.digits()
    let one = try Self.evaluate(dataset, threads: 1)
    var four = try Self.evaluate(dataset, threads: 4)
    four.settings.threads = 1
    #expect(try one.withoutTimes().json() == four.withoutTimes().json())
  }

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; the test needs jsonschema."))
  func `written reports conform to the schema`() async throws {
    let dataset = try Self.digits()
    let reports = [
      try Self.evaluate(dataset),
      try Self.evaluate(dataset, part: PartRecord(index: 1, count: 2), limit: 9),
    ]
    let validation = ["Tools/peers/validate_schema.py", "Schemas/evaluation.schema.json"]
    let found = try await ReportPeer.run(validation, on: reports.map { try $0.json() })
    #expect(found.ranges(of: "\"errors\": []").count == reports.count, "\(found.prefix(3000))")
  }

  @Test func `classes with the same name are compared by number if labels are numbers`() throws {
    let context = MetricContext(labels: ["crane", "crane", "two"])
    let maker = RowMaker(model: "m", testBundle: "t", kept: .all, classes: ClassList(context))
    let prediction = Prediction(
      classification: Classification(labels: Labels(context.labels), values: [0.1, 0.7, 0.2]))
    let evaluation = Evaluation(id: "a", result: .success(prediction))
    for (label, isCorrect) in [("0", false), ("1", true), ("2", false), ("crane", true)] {
      let sample = Sample(id: "a", source: .file("a"), truth: .label(label))
      #expect(maker.row(evaluation, of: sample, at: 0).isCorrect == isCorrect, "\(label)")
    }
  }
}

@Suite struct LatencyStatisticsTests {
  @Test func `percentiles are interpolated as in NumPy`() {
    let statistics = LatencyStatistics((1...20).map(Double.init).reversed())
    #expect(statistics.p50 == 10.5)
    #expect(statistics.p90 == 18.1)
    #expect(statistics.p95 == 19.05)
    #expect(statistics.p99 == nil)
    #expect(statistics.minimum == 1)
    #expect(statistics.maximum == 20)
  }

  @Test func `without measurements there are no statistics`() {
    let statistics = LatencyStatistics([])
    #expect(statistics.count == 0)
    #expect(statistics.p50 == nil)
    #expect(statistics.mean == nil)
  }
}
