// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

extension ReportComparison {
  /// Compares two models of one report.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - modelA: The first model's identifier.
  ///   - modelB: The second model's identifier.
  ///   - seed: The seed for resampling.
  /// - Throws: `TensorIOError` if the report doesn't have both models.
  public init(
    _ report: EvaluationReport, _ modelA: String, _ modelB: String, seed: UInt64 = 0
  ) throws {
    guard modelA != modelB else {
      throw TensorIOError(
        .invalidOption, "'\(modelA)' cannot be compared with itself: name two models.")
    }
    var options = Options()
    (options.modelA, options.modelB, options.seed) = (modelA, modelB, seed)
    try self.init(report, report, options)
  }

  /// Compares two reports.
  ///
  /// Images are matched by their identifiers.
  ///
  /// - Parameters:
  ///   - first: The older run, which is the baseline.
  ///   - second: The newer run.
  ///   - options: Which models are compared, and whether the datasets can differ.
  /// - Throws: `TensorIOError` with the code `.invalidOption` if the datasets differ, if a model is
  ///   unknown, or if the reports contradict each other about an image.
  public init(
    _ first: EvaluationReport, _ second: EvaluationReport, _ options: Options = Options()
  ) throws {
    let resultA = try first.result(of: options.modelA, "first")
    let resultB = try second.result(of: options.modelB, "second")
    if first.dataset.sha256 != second.dataset.sha256, !options.allowsOtherDatasets {
      throw TensorIOError(
        .invalidOption,
        "The reports are about different datasets: '\(first.dataset.name)' with SHA-256 "
          + "\(first.dataset.sha256) and '\(second.dataset.name)' with \(second.dataset.sha256). "
          + "Images with the same name may have different content. Evaluate both on one dataset, "
          + "or allow different datasets (--allow-other-datasets).")
    }
    let rowsA = try first.rows(of: resultA.model.id, "first")
    let rowsB = try second.rows(of: resultB.model.id, "second")
    let inA = Dictionary(uniqueKeysWithValues: rowsA.map { ($0.image, $0) })
    let inB = Dictionary(uniqueKeysWithValues: rowsB.map { ($0.image, $0) })
    let pairs = rowsA.compactMap { row in inB[row.image].map { (a: row, b: $0) } }

    a = Side(
      model: resultA.model, created: first.created, datasetSHA256: first.dataset.sha256,
      pictures: rowsA.count, failed: pairs.filter(\.a.error).map(\.a.image),
      unpaired: rowsA.map(\.image).filter { inB[$0] == nil })
    b = Side(
      model: resultB.model, created: second.created, datasetSHA256: second.dataset.sha256,
      pictures: rowsB.count, failed: pairs.filter(\.b.error).map(\.b.image),
      unpaired: rowsB.map(\.image).filter { inA[$0] == nil })
    paired = pairs.count

    let table = PairedTable(pairs)
    scored = table.scored
    (bothRight, bothWrong, flips) = (table.bothRight, table.bothWrong, table.flips)
    mcNemar = McNemarTest(onlyA: table.onlyA, onlyB: table.onlyB)
    accuracy =
      table.scored > 0
      ? PairedDifference(
        bothRight: table.bothRight, onlyA: table.onlyA, onlyB: table.onlyB, of: table.scored)
      : nil
    latency = Self.latencies(pairs, seed: options.seed)
    warnings = Self.warnings(first, second, resultA.model, resultB.model) + table.warnings
    if paired == 0 { warnings.append("The reports have no image in common.") }
  }

  private static func latencies(
    _ pairs: [(a: ResultRow, b: ResultRow)], seed: UInt64
  ) -> [LatencyRatio] {
    let timed = pairs.compactMap { pair -> (a: EvaluationRecord, b: EvaluationRecord)? in
      guard let a = pair.a.evaluation, let b = pair.b.evaluation else { return nil }
      return (a, b)
    }
    return [
      LatencyRatio(
        stage: "inference", pairs: timed.map { ($0.a.inferenceLatency, $0.b.inferenceLatency) },
        seed: seed),
      LatencyRatio(stage: "total", pairs: timed.map { ($0.a.total, $0.b.total) }, seed: seed),
    ]
  }

  private static func warnings(
    _ first: EvaluationReport, _ second: EvaluationReport, _ modelA: ModelRecord,
    _ modelB: ModelRecord
  ) -> [String] {
    var warnings: [String] = []
    func compare(_ what: String, _ a: some Equatable, _ b: some Equatable, _ advice: String) {
      guard "\(a)" != "\(b)" else { return }
      warnings.append("\(what): \(a) in the first report, \(b) in the second. \(advice)")
    }
    compare(
      "The datasets differ", first.dataset.sha256, second.dataset.sha256,
      "Images with the same name may have different content.")
    compare(
      "The label offset differs", first.settings.labelOffset, second.settings.labelOffset,
      "The same label may mean a different class.")
    let time = "Latencies cannot be compared."
    compare("The processor differs", first.environment.cpu, second.environment.cpu, time)
    compare("The cores differ", first.environment.cores, second.environment.cores, time)
    compare("The number of threads differs", first.settings.threads, second.settings.threads, time)
    compare(
      "The iterations differ", first.settings.iterations, second.settings.iterations,
      "Means of more runs vary less.")
    let differs = "Predictions may differ for that reason."
    compare("JPEG decoding differs", first.settings.decode, second.settings.decode, differs)
    compare(
      "The system differs", first.environment.architecture, second.environment.architecture,
      differs)
    compare(
      "The libraries differ", first.environment.libraryText, second.environment.libraryText,
      differs)
    if modelA.id == modelB.id {
      compare("The preprocessing differs", modelA.preprocessing, modelB.preprocessing, differs)
    }
    return warnings
  }
}

extension EnvironmentRecord {
  /// The libraries as text, in alphabetical order.
  var libraryText: String {
    libraries.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }
}

extension EvaluationReport {
  fileprivate func result(of id: String?, _ ordinal: String) throws -> ModelResult {
    let ids = models.map(\.model.id)
    let list = ids.joined(separator: ", ")
    guard let id else {
      guard let only = models.first, models.count == 1 else {
        throw TensorIOError(
          .invalidOption,
          "The \(ordinal) report has \(counted(models.count, "model")) (\(list)). Name the one to "
            + "compare with --model ID for each report.")
      }
      return only
    }
    guard let result = models.first(where: { $0.model.id == id }) else {
      throw TensorIOError(
        .invalidOption, "The \(ordinal) report has no model '\(id)'. It has: \(list).")
    }
    return result
  }

  fileprivate func rows(of id: String, _ ordinal: String) throws -> [ResultRow] {
    let rows = results.filter { $0.model == id }
    var seen: Set<String> = []
    if let twice = rows.first(where: { !seen.insert($0.image).inserted }) {
      throw TensorIOError(
        .invalidOption,
        "The \(ordinal) report has the image '\(twice.image)' twice for '\(id)', so its results "
          + "cannot be paired.")
    }
    return rows
  }
}

/// Counts how often the models are right about the same images.
private struct PairedTable {
  var scored = 0
  var bothRight = 0
  var bothWrong = 0
  var onlyA = 0
  var onlyB = 0
  var flips: [ReportComparison.Flip] = []
  var warnings: [String] = []

  init(_ pairs: [(a: ResultRow, b: ResultRow)]) {
    var otherTruths = 0
    for (a, b) in pairs {
      if a.truth != b.truth { otherTruths += 1 }
      guard let isRightInA = a.isCorrect, let isRightInB = b.isCorrect else { continue }
      scored += 1
      switch (isRightInA, isRightInB) {
      case (true, true): bothRight += 1
      case (false, false): bothWrong += 1
      case (true, false): onlyA += 1
      case (false, true): onlyB += 1
      }
      if isRightInA != isRightInB {
        flips.append(
          ReportComparison.Flip(
            index: a.index, image: a.image, truth: a.truth, predictedA: a.predicted,
            predictedB: b.predicted, isRightInA: isRightInA))
      }
    }
    if otherTruths > 0 {
      warnings.append(
        "\(otherTruths) of \(counted(pairs.count, "image")) \(otherTruths == 1 ? "has" : "have") "
          + "a different label in the second report.")
    }
  }
}
