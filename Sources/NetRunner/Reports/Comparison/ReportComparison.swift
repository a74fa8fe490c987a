// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Compares two models, or two runs of one model, image by image.
///
/// ```swift
/// let comparison = try ReportComparison(before, after)
/// print(comparison.text)
/// ```
public struct ReportComparison: Sendable, Codable {
  /// The kind of document.
  public var schema = "tensorio.comparison"
  /// The version of the document's format.
  public var schemaVersion = 1
  /// The first model.
  public var a: Side
  /// The second model.
  public var b: Side
  /// What makes the comparison doubtful, such as different datasets, settings or machines.
  public var warnings: [String]
  /// The number of images in both reports.
  public var paired: Int
  /// The number of these images that have a label, so that both predictions are right or wrong.
  public var scored: Int
  /// The number of scored images that both models are right about.
  public var bothRight: Int
  /// The number of scored images that neither model is right about.
  public var bothWrong: Int
  /// Tests whether the models are right about different numbers of images.
  public var mcNemar: McNemarTest
  /// The difference in top-1 accuracy, or nil if there are no scored images.
  public var accuracy: PairedDifference?
  /// The latency ratios, for `inference` and for `total`.
  public var latency: [LatencyRatio]
  /// The scored images that only one model is right about, in the dataset's order.
  public var flips: [Flip]

  /// One of the two compared models.
  public struct Side: Sendable, Hashable, Codable {
    /// The model.
    public var model: ModelRecord
    /// The start of the model's evaluation.
    public var created: String
    /// The SHA-256 of the dataset.
    public var datasetSHA256: String
    /// The number of images that were evaluated.
    public var images: Int
    /// The images in both reports that failed for this model.
    public var failed: [String]
    /// The images that only this side has.
    public var unpaired: [String]

    private enum CodingKeys: String, CodingKey {
      case model, created, failed, unpaired
      case images = "pictures"
      case datasetSHA256 = "dataset_sha256"
    }
  }

  /// An image that only one model is right about.
  public struct Flip: Sendable, Hashable, Codable {
    /// The image's index in the dataset.
    public var index: Int
    /// The image's identifier.
    public var image: String
    /// The image's ground truth.
    public var truth: String?
    /// The first model's prediction, or nil if the image failed.
    public var predictedA: String?
    /// The second model's prediction, or nil if the image failed.
    public var predictedB: String?
    /// Whether the first model is right.
    ///
    /// If false, the second one is.
    public var isRightInA: Bool

    private enum CodingKeys: String, CodingKey {
      case index, image, truth
      case predictedA = "predicted_a"
      case predictedB = "predicted_b"
      case isRightInA = "right_in_a"
    }
  }

  /// Options for comparing reports.
  public struct Options: Sendable {
    /// The first report's model.
    ///
    /// It can be nil if the report has only one.
    public var modelA: String?
    /// The second report's model.
    ///
    /// It can be nil if the report has only one.
    public var modelB: String?
    /// Whether different datasets are a warning instead of an error.
    public var allowsOtherDatasets = false
    /// The seed for resampling.
    public var seed: UInt64 = 0

    /// Creates options that compare the only models and require the same dataset.
    public init() {}
  }

  /// What the samples are, or nil for images.
  public var content: Dataset.Content?

  /// What the samples are.
  package var samples: Dataset.Content { content ?? .images }

  private enum CodingKeys: String, CodingKey {
    case schema, a, b, warnings, paired, scored, accuracy, latency, flips, content
    case schemaVersion = "schema_version"
    case bothRight = "both_right"
    case bothWrong = "both_wrong"
    case mcNemar = "mcnemar"
  }

  /// The comparison as JSON, which is byte-for-byte equal for equal comparisons.
  ///
  /// - Returns: The document with a trailing line feed.
  /// - Throws: `TensorIOError` if the comparison can't be encoded, which is a bug in this library.
  public func json() throws -> String {
    let members: [String: StableJSON?] = [
      "schema": try StableJSON(schema), "schema_version": try StableJSON(schemaVersion),
      "a": try StableJSON(a), "b": try StableJSON(b), "warnings": try StableJSON(lines: warnings),
      "paired": try StableJSON(paired), "scored": try StableJSON(scored),
      "both_right": try StableJSON(bothRight), "both_wrong": try StableJSON(bothWrong),
      "mcnemar": try StableJSON(mcNemar), "accuracy": try accuracy.map { try StableJSON($0) },
      "latency": try StableJSON(lines: latency), "flips": try StableJSON(lines: flips),
      "content": try content.map { try StableJSON($0) },
    ]
    return StableJSON(document: members).text
  }
}

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
          + "\(first.dataset.samples.title)s with the same name may have different content. Evaluate both on one dataset, "
          + "or allow different datasets (--allow-other-datasets).")
    }
    let rowsA = try first.rows(of: resultA.model.id, "first")
    let rowsB = try second.rows(of: resultB.model.id, "second")
    let inA = Dictionary(uniqueKeysWithValues: rowsA.map { ($0.image, $0) })
    let inB = Dictionary(uniqueKeysWithValues: rowsB.map { ($0.image, $0) })
    let pairs = rowsA.compactMap { row in inB[row.image].map { (a: row, b: $0) } }

    a = Side(
      model: resultA.model, created: first.created, datasetSHA256: first.dataset.sha256,
      images: rowsA.count, failed: pairs.filter(\.a.error).map(\.a.image),
      unpaired: rowsA.map(\.image).filter { inB[$0] == nil })
    b = Side(
      model: resultB.model, created: second.created, datasetSHA256: second.dataset.sha256,
      images: rowsB.count, failed: pairs.filter(\.b.error).map(\.b.image),
      unpaired: rowsB.map(\.image).filter { inA[$0] == nil })
    paired = pairs.count
    content = first.dataset.content

    let table = PairedTable(pairs, first.dataset.samples)
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
    if paired == 0 { warnings.append("The reports have no \(samples.noun) in common.") }
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
      "\(first.dataset.samples.title)s with the same name may have different content.")
    compare(
      "The label offset differs", first.settings.labelOffset, second.settings.labelOffset,
      "The same label may mean a different class.")
    compare(
      "The number of labels in the label map differs", first.settings.labelMap?.count ?? 0,
      second.settings.labelMap?.count ?? 0, "The same label may mean a different class.")
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
      // Different model files are what is compared, but equal ones look like the same model.
      if modelA.sha256 == modelB.sha256, let a = modelA.bundleSHA256, let b = modelB.bundleSHA256 {
        compare(
          "The bundles of the same model file differ", a, b,
          "The layers in model.json, the weights, the labels or other files were changed.")
      }
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
        "The \(ordinal) report has the \(dataset.samples.noun) '\(twice.image)' twice for '\(id)', so its results "
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

  init(_ pairs: [(a: ResultRow, b: ResultRow)], _ samples: Dataset.Content) {
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
        "\(otherTruths) of \(samples.counted(pairs.count)) \(otherTruths == 1 ? "has" : "have") "
          + "a different label in the second report.")
    }
  }
}
