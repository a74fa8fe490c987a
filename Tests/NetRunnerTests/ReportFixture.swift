// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

@testable import NetRunner

/// A made-up report that looks like a real one.
///
/// Models confuse classes, images fail, and latencies have a long tail. Equal arguments give equal
/// reports.
struct ReportFixture {
  var classes = ["cat", "dog", "fox", "owl", "hen", "bee", "ant", "elk", "yak", "emu"]
  var pictures = 500
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
        pictures: pictures, labelled: pictures, sha256: Self.hash("dataset"),
        notes: ["2 files are no pictures and were left out: notes.txt, Thumbs.db."]),
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
    var random = FixtureRandom(state: seed)
    return (0..<8).map { _ in
      let digits = String(UInt32(truncatingIfNeeded: random.next()), radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }

  // MARK: - Rows

  private func id(_ model: Int) -> String { models[model] }

  private func makeRows(model: Int) -> [ResultRow] {
    let indices = (0..<pictures).filter { index in
      part.map { index % $0.count == $0.index - 1 } ?? true
    }
    return indices.map { index in
      let truth = index % classes.count
      var row = ResultRow(
        index: index, type: "file", image: imageName(index, classes[truth]), model: id(model),
        testBundle: "animals", error: failures.contains(index), truth: classes[truth])
      guard !row.error else {
        row.errorDescription =
          "'\(row.image)' is no JPEG, PNG, BMP or WebP picture: its first bytes are 00 00 00 00."
        row.isCorrect = false
        return row
      }
      return fill(row, truth: truth, model: model)
    }
  }

  private func fill(_ row: ResultRow, truth: Int, model: Int) -> ResultRow {
    // An image is equally hard for all models, so that their mistakes are correlated.
    var shared = FixtureRandom(state: UInt64(row.index) &* 7919 &+ 1)
    var own = FixtureRandom(state: UInt64(row.index) &* 104_729 &+ UInt64(model) &* 31 &+ 5)
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
      pictures: rows.count, failed: rows.count(where: \.error), labelled: rows.count,
      metrics: ["classification": FixtureMetric(classes: classes, rows: rows).report],
      latency: LatencyRecord(evaluations),
      throughput: Double(rows.count) / seconds, seconds: seconds, peakMemory: 180_000_000,
      items: part == nil ? nil : ["classification": rows.map(FixtureMetric.item)])
  }
}

/// SplitMix64, which gives the same numbers on every machine.
struct FixtureRandom {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 to less than 1.
  mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }
}
