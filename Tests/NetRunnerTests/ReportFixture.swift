// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport

@testable import NetRunner

/// A made-up report that looks like a real one.
///
/// Models confuse classes, images fail, and latencies have a long tail. Equal arguments give equal
/// reports.
struct ReportFixture {
  var classes = ["cat", "dog", "fox", "owl", "hen", "bee", "ant", "elk", "yak", "emu"]
  var images = 500
  var models = ["mobile"]
  /// How hard an image may be for each model to still be right.
  var accuracies = [0.7, 0.76, 0.62]
  /// The indexes of the images that can't be read.
  var failures: Set<Int> = [17, 203, 411]
  var part: PartRecord?
  var datasetPath = "photos.testbundle"
  var imageName: (Int, String) -> String = { index, label in "images/\(label)-\(index).jpg" }

  func make() -> EvaluationReport {
    let rows = models.indices.flatMap { makeRows(model: $0) }
    let results = models.indices.map {
      makeResult(model: $0, rows.filter { [id = id($0)] in $0.model == id })
    }
    return EvaluationReport(
      tool: ToolRecord(version: "1.0.0"), created: "2025-06-01T08:30:00Z", part: part,
      settings: SettingsRecord(
        iterations: 1, warmup: 2, threads: 2, seed: 42, limit: nil, decode: "exact",
        metrics: ["classification"], topK: 5, labelOffset: 0),
      environment: EnvironmentRecord(
        system: "Debian GNU/Linux 12", architecture: "x86_64", cpu: "Some CPU @ 2.50GHz", cores: 2,
        libraries: ["LiteRT": "2.3.0"]),
      dataset: DatasetRecord(
        layout: .testBundle, name: "Animals", id: "animals", version: "1", path: datasetPath,
        images: images, labelled: images, sha256: Self.hash("dataset"),
        notes: ["2 files are not images and were left out: notes.txt, Thumbs.db."]),
      models: results,
      summary: results.map { result in
        SummaryRow(
          latency: result.latency.inference.mean,
          classificationAccuracy: result.metrics["classification"]?.values.first?.value,
          model: result.model.id, testBundle: "animals")
      },
      results: rows)
  }

  /// 64 hexadecimal digits that depend on a text.
  static func hash(_ text: String) -> String {
    let seed = text.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) }
    var random = SplitMix64(seed: seed)
    return (0..<8).map { _ in
      let digits = String(UInt32(truncatingIfNeeded: random.next()), radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }

  // MARK: - Rows

  private func id(_ model: Int) -> String { models[model] }

  private func makeRows(model: Int) -> [ResultRow] {
    let indices = (0..<images).filter { index in
      part.map { index % $0.count == $0.index - 1 } ?? true
    }
    return indices.map { index in
      let truth = index % classes.count
      var row = ResultRow(
        index: index, type: "file", image: imageName(index, classes[truth]), model: id(model),
        testBundle: "animals", error: failures.contains(index), truth: classes[truth])
      guard !row.error else {
        row.errorDescription =
          "'\(row.image)' is not a JPEG, PNG, BMP or WebP image: its first bytes are 00 00 00 00."
        row.isCorrect = false
        return row
      }
      return fill(row, truth: truth, model: model)
    }
  }

  private func fill(_ row: ResultRow, truth: Int, model: Int) -> ResultRow {
    // An image is equally hard for all models, so that their mistakes are correlated.
    var shared = SplitMix64(seed: UInt64(row.index) &* 7919 &+ 1)
    var own = SplitMix64(seed: UInt64(row.index) &* 104_729 &+ UInt64(model) &* 31 &+ 5)
    let hardness = 0.7 * shared.uniform() + 0.3 * own.uniform()
    let isRight = hardness < accuracies[model % accuracies.count]
    let neighbour = (truth + (own.uniform() < 0.7 ? 1 : 3)) % classes.count
    let predicted = isRight ? truth : neighbour
    let score = isRight ? 1 - 0.5 * own.uniform() * hardness : 0.4 + 0.59 * own.uniform()
    var values = [classes[predicted]: JSONValue.number((score * 1e4).rounded() / 1e4)]
    let second = isRight ? neighbour : truth
    values[classes[second]] = .number(((1 - score) * 7e3).rounded() / 1e4)
    let slow = own.uniform() < 0.03 ? 9 * own.uniform() : 0
    var row = row
    row.evaluation = EvaluationRecord(
      decodeLatency: 2 + 1.5 * own.uniform(), preprocessorLatency: 0.6 + 0.3 * own.uniform(),
      inferenceLatency: 6 * Double(model + 1) + 2 * own.uniform() + slow,
      postprocessLatency: 0.02 + 0.01 * own.uniform(),
      inferenceResults: ["classification": .object(values)])
    row.predicted = classes[predicted]
    row.score = (score * 1e4).rounded() / 1e4
    row.isCorrect = isRight
    return row
  }

  // MARK: - Models

  private func makeResult(model: Int, _ rows: [ResultRow]) -> ModelResult {
    let name = id(model)
    let evaluations = rows.compactMap(\.evaluation)
    let seconds = evaluations.reduce(0) { $0 + $1.total } / 2000
    return ModelResult(
      model: ModelRecord(
        id: name, name: "A model named \(name)", version: "1.\(model)",
        path: "models/\(name).tiobundle", backend: "tflite", sha256: Self.hash(name),
        preprocessing: "center crop to 1:1, pillow-bilinear to 224 x 224, scale to [-1, 1]",
        preprocessingSHA256: Self.hash("preprocessing")),
      images: rows.count, failed: rows.count(where: \.error), labelled: rows.count,
      metrics: ["classification": FixtureMetric(classes: classes, rows: rows).report],
      latency: LatencyRecord(evaluations),
      throughput: Double(rows.count) / seconds, seconds: seconds, peakMemory: 180_000_000,
      items: part == nil ? nil : ["classification": rows.map(FixtureMetric.item)])
  }
}

extension SplitMix64 {
  /// A number from 0 to less than 1.
  mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }
}

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

/// Runs Python scripts on files that a test writes.
enum ReportPeer {
  /// Runs a script whose last arguments are the paths of files with the given contents.
  ///
  /// - Returns: The script's output.
  static func run(_ arguments: [String], on contents: [String]) async throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = try contents.enumerated().map { index, content in
      let file = folder.appending(path: "\(index)")
      try Data(content.utf8).write(to: file)
      return file.path
    }
    return try await Python.run(arguments + files)
  }
}
