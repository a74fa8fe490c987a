// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

@testable import NetRunner

/// The results of a classification metric for rows: plain sums that are easy to check by eye.
struct FixtureMetric {
  var classes: [String]
  var rows: [ResultRow]

  /// What is kept of a row.
  static func item(_ row: ResultRow) -> JSONValue {
    .object([
      "truth": .string(row.truth ?? ""), "predicted": row.predicted.map(JSONValue.string) ?? .null,
      "score": row.score.map(JSONValue.number) ?? .null,
    ])
  }

  /// The report of items, which equals that of their rows.
  static func report(classes: [String], items: [JSONValue]) -> MetricReport {
    let rows = items.enumerated().map { index, item in
      var row = ResultRow(
        index: index, type: "file", image: "", model: "", testBundle: "", error: false)
      guard case .object(let members) = item else { return row }
      if case .string(let truth)? = members["truth"] { row.truth = truth }
      if case .string(let predicted)? = members["predicted"] { row.predicted = predicted }
      if case .number(let score)? = members["score"] { row.score = score }
      row.isCorrect = row.truth == row.predicted
      return row
    }
    return FixtureMetric(classes: classes, rows: rows).report
  }

  var report: MetricReport {
    let right = rows.count { $0.isCorrect == true }
    let n = rows.count
    let top1 = Double(right) / Double(n)
    let scores = rows.map { $0.isCorrect == true ? $0.score ?? 0 : 1 - ($0.score ?? 1) }
    let brier = scores.reduce(0) { $0 + (1 - $1) * (1 - $1) } / Double(n)
    let perClass = classMetrics
    let f1 = perClass.compactMap { $0.values["f1"] ?? nil }
    return MetricReport(
      values: [
        MetricValue("top1", top1, interval: Self.wilson(right, n), count: n),
        MetricValue(
          "top5", min(1, top1 + 0.08), interval: Self.wilson(min(n, right + n * 8 / 100), n),
          count: n),
        MetricValue("macro_f1", f1.isEmpty ? nil : f1.reduce(0, +) / Double(f1.count), count: n),
        MetricValue(
          "log_loss", brier * 1.7, interval: .init(lower: brier * 1.5, upper: brier * 1.9),
          count: n, isHigherBetter: false),
        MetricValue("brier", brier, count: n, isHigherBetter: false),
        MetricValue("ece", calibrationError, count: n, isHigherBetter: false),
        MetricValue("kappa", nil, count: 0),
      ],
      confusion: confusion, roc: curves, calibration: bins, classes: perClass,
      notes: ["kappa is not defined: the fixture does not compute it."])
  }

  private static func wilson(_ k: Int, _ n: Int) -> MetricValue.Interval {
    let (z, n, p) = (1.959963984540054, Double(n), Double(k) / Double(n))
    let center = (p + z * z / (2 * n)) / (1 + z * z / n)
    let half = z / (1 + z * z / n) * (p * (1 - p) / n + z * z / (4 * n * n)).squareRoot()
    return .init(lower: center - half, upper: center + half)
  }

  private var places: [String: Int] {
    Dictionary(uniqueKeysWithValues: classes.enumerated().map { ($1, $0) })
  }

  private var confusion: ConfusionMatrix {
    let places = places
    var counts = Array(repeating: Array(repeating: 0, count: classes.count), count: classes.count)
    var failed = Array(repeating: 0, count: classes.count)
    for row in rows {
      guard let truth = row.truth.flatMap({ places[$0] }) else { continue }
      if let predicted = row.predicted.flatMap({ places[$0] }) {
        counts[truth][predicted] += 1
      } else {
        failed[truth] += 1
      }
    }
    return ConfusionMatrix(labels: classes, counts: counts, failed: failed)
  }

  private var classMetrics: [ClassMetrics] {
    let matrix = confusion
    return classes.indices.map { index in
      let support = matrix.counts[index].reduce(matrix.failed[index], +)
      let claimed = matrix.counts.reduce(0) { $0 + $1[index] }
      let right = Double(matrix.counts[index][index])
      let precision = claimed > 0 ? right / Double(claimed) : nil
      let recall = support > 0 ? right / Double(support) : nil
      let f1 = claimed + support > 0 ? 2 * right / Double(claimed + support) : nil
      return ClassMetrics(
        label: classes[index], support: support,
        values: ["precision": precision, "recall": recall, "f1": f1])
    }
  }

  private var curves: [ROCCurve] {
    classes.enumerated().map { index, label in
      let power = 6 + Double((index * 7) % 11)
      let points = (0...40).map { step in
        let x = Double(step) / 40
        var y = 1.0
        for _ in 0..<Int(power) { y *= 1 - x }
        return ROCCurve.Point(falsePositiveRate: x, truePositiveRate: 1 - y)
      }
      return ROCCurve(label: label, area: power / (power + 1), points: points)
    }
  }

  private var bins: [CalibrationBin] {
    (0..<10).map { index in
      let (lower, upper) = (Double(index) / 10, Double(index + 1) / 10)
      let inside = rows.filter { row in
        row.score.map { $0 > lower && $0 <= upper || index == 0 && $0 == 0 } ?? false
      }
      let n = Double(max(1, inside.count))
      return CalibrationBin(
        lower: lower, upper: upper, count: inside.count,
        confidence: inside.reduce(0) { $0 + ($1.score ?? 0) } / n,
        accuracy: Double(inside.count { $0.isCorrect == true }) / n)
    }
  }

  private var calibrationError: Double {
    bins.reduce(0) { sum, bin in
      sum + Double(bin.count) / Double(rows.count) * abs(bin.accuracy - bin.confidence)
    }
  }
}
