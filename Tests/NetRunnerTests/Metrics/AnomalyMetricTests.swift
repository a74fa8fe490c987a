// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

@testable import NetRunner

@Suite struct AnomalyMetricTests {
  /// Numbers for our metric and the Python metric.
  struct Case: Encodable {
    struct Row: Encodable {
      var isAnomaly: Bool
      var machine: String
      var score: Double?

      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(isAnomaly)
        try container.encode(machine)
        try container.encode(score)
      }
    }

    var kind = "anomaly"
    var name: String
    var rows: [Row]

    func report(_ metric: String = "anomaly") throws -> MetricReport {
      var accumulator = MetricAccumulator(
        try MetricRegistry.standard.metric(named: metric, context: MetricContext(labels: [])))
      for (index, row) in rows.enumerated() {
        try accumulator.add(
          .anomaly(row.isAnomaly, machine: row.machine),
          row.score.map { Prediction(values: [Float($0)]) }, at: index)
      }
      return try accumulator.report()
    }

    /// `steps` is the number of different scores, or nil for any.
    static func random(
      _ name: String, seed: UInt64, count: Int, machines: Int, steps: Double? = nil,
      anomalies: Double = 0.3, failing: Double = 0
    ) -> Self {
      var random = TestNumbers(seed: seed)
      return Self(
        name: name,
        rows: (0..<count).map { _ in
          let isAnomaly = random.unit() < anomalies
          let score = random.unit() + (isAnomaly ? 0.3 : 0)
          let rounded = steps.map { (score * $0).rounded() } ?? Double(Float(score))
          return Row(
            isAnomaly: isAnomaly, machine: "id_\(Int(random.unit() * Double(machines)))",
            score: random.unit() < failing ? nil : rounded)
        })
    }
  }

  static let cases: [Case] = [
    .random("four machines", seed: 1, count: 400, machines: 4),
    .random("equal scores", seed: 2, count: 300, machines: 3, steps: 8),
    .random("one machine", seed: 3, count: 50, machines: 1),
    .random("failures", seed: 4, count: 200, machines: 2, failing: 0.2),
    .random("a machine without anomalies", seed: 5, count: 40, machines: 12, anomalies: 0.1),
    .random("no anomalies", seed: 6, count: 20, machines: 2, anomalies: 0),
    .random("only anomalies", seed: 7, count: 20, machines: 1, anomalies: 2),
  ]

  @Test(.enabled(if: MetricPeer.isThere, MetricPeer.reason))
  func `every value equals scikit-learn's`() async throws {
    let answers = try await MetricPeer.answers(Self.cases)
    for (item, theirs) in zip(Self.cases, answers) {
      let report = try item.report()
      #expect(
        report.values.map(\.name) == ["machine_auc", "machine_pauc", "anomaly_auc", "anomaly_pauc"])
      for value in report.values {
        #expect(isClose(value.value, theirs[value.name] ?? nil), "\(item.name): \(value.name)")
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

  @Test func `failed samples and machines without both kinds are noted`() throws {
    let rows = [
      Case.Row(isAnomaly: true, machine: "a", score: 2),
      .init(isAnomaly: false, machine: "a", score: 1),
      .init(isAnomaly: true, machine: "b", score: 1),
      .init(isAnomaly: true, machine: "b", score: nil),
    ]
    let report = try Case(name: "", rows: rows).report()
    #expect(report.values[0].value == 1)
    #expect(report.values[0].count == 3)
    #expect(
      report.notes == [
        "1 of 4 samples failed and are left out.",
        "1 machine without both normal samples and anomalies is left out of the means, such as 'b'.",
      ])
  }

  @Test func `labels are anomalies or normal`() throws {
    var accumulator = MetricAccumulator(
      try MetricRegistry.standard.metric(named: "anomaly_auc", context: MetricContext(labels: [])))
    for (index, pair) in [("normal", 1), ("anomaly", 3), ("0", 0), ("Abnormal", 2)].enumerated() {
      try accumulator.add(
        .label(pair.0), Prediction(values: [Float(pair.1)]), at: index)
    }
    #expect(try accumulator.report().values.map(\.value) == [1])
    let error = #expect(throws: TensorIOError.self) {
      try accumulator.add(.label("cat"), Prediction(values: [1]), at: 4)
    }
    #expect(error?.message.contains("a sample has 'cat'") == true)
  }

  @Test func `an output of several numbers is an error that says what to add`() throws {
    let metric = try MetricRegistry.standard.metric(
      named: "anomaly", context: MetricContext(labels: []))
    var accumulator = MetricAccumulator(metric)
    let error = #expect(throws: TensorIOError.self) {
      try accumulator.add(.anomaly(true, machine: ""), Prediction(values: [1, 2]), at: 0)
    }
    #expect(error?.message.contains("the model has 2 numbers") == true)
    #expect(error?.message.contains("reconstruction") == true)
  }
}
