// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO
import TensorIOImageCodecs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Evaluates models on a dataset, and writes the report.
///
/// ```swift
/// let dataset = try Dataset(contentsOf: "digits.testbundle")
/// let run = try EvaluationRun(dataset)
/// let report = try run.evaluate([ModelBundle("digits.tiobundle")], with: [.liteRT])
/// ```
public struct EvaluationRun: Sendable {
  /// How far an evaluation is.
  public struct Progress: Sendable {
    /// The model's identifier.
    public var model: String
    /// Pictures that are done, failed ones among them.
    public var done: Int
    /// All pictures.
    public var count: Int
    /// Pictures that failed.
    public var failed: Int
    /// Labelled pictures whose first answer is right.
    public var correct: Int
    /// Labelled pictures that are done.
    public var judged: Int
    /// What became of the picture that was done last.
    public var row: ResultRow
  }

  /// The pictures that are evaluated, after the limit and of the part that was asked for.
  public let dataset: Dataset
  /// How they are evaluated.
  public let options: EvaluationOptions

  private let pictureCount: Int
  private let whole: Dataset
  private let part: PartRecord?
  private let limit: Int?

  /// Prepares an evaluation.
  ///
  /// - Parameters:
  ///   - dataset: The pictures.
  ///   - options: How they are evaluated.
  ///   - limit: The most pictures to evaluate; nil takes all. Which ones, a seed other than 0
  ///     decides; else they are the first.
  ///   - part: Which share of them; nil takes all.
  /// - Throws: `TensorIOError` for a limit or part that cannot be.
  public init(
    _ dataset: Dataset, options: EvaluationOptions = EvaluationOptions(), limit: Int? = nil,
    part: PartRecord? = nil
  ) throws {
    pictureCount = dataset.samples.count
    let seed = options.seed == 0 ? nil : options.seed
    let whole = try limit.map { try dataset.limited(to: $0, seed: seed) } ?? dataset
    self.whole = whole
    self.dataset = try part.map { try whole.part($0.index, of: $0.count) } ?? whole
    self.options = options
    self.limit = limit
    self.part = part
  }

  /// Evaluates models, one after the other.
  ///
  /// A picture that fails is a row with its error. A model that cannot be loaded fails on every
  /// picture.
  ///
  /// - Parameters:
  ///   - bundles: The models.
  ///   - backends: The runtimes.
  ///   - tool: The program, for the report.
  ///   - libraries: The versions of the runtimes' libraries, for the report.
  ///   - isOver: Asked between pictures; after a yes the report has the pictures that are done.
  ///   - onProgress: Told after each picture.
  /// - Returns: The report.
  /// - Throws: `TensorIOError` when no model can be loaded, or a metric does not suit a model;
  ///   with the code `cancelled` when it was over before the first picture.
  public func evaluate(
    _ bundles: [ModelBundle], with backends: [any Backend],
    by tool: ToolRecord = ToolRecord(version: "unknown"), libraries: [String: String] = [:],
    until isOver: () -> Bool = { false }, onProgress: (Progress) -> Void = { _ in }
  ) throws -> EvaluationReport {
    let created = Date.now.ISO8601Format()
    let hash = try whole.sha256(threads: max(2, options.threads), until: isOver)
    var models: [ModelResult] = []
    var rows: [ResultRow] = []
    var failure: (any Error)?
    var isAnyLoaded = false
    for bundle in bundles where !isOver() {
      let evaluator = Result { try makeEvaluator(bundle, backends) }
      if case .failure(let error) = evaluator { failure = failure ?? error }
      if case .success = evaluator { isAnyLoaded = true }
      var pass = try ModelPass(bundle, evaluator, dataset: dataset, options: options)
      try pass.run(until: isOver, onProgress: onProgress)
      models.append(try pass.result(keepingItems: part != nil))
      rows += pass.rows
    }
    if let failure, !isAnyLoaded { throw failure }
    return EvaluationReport(
      tool: tool, created: created, part: part, settings: settings,
      environment: .current(libraries: libraries), dataset: record(sha256: hash), models: models,
      summary: models.map { $0.summary(testBundle: dataset.rowName) }, results: rows)
  }

  private func makeEvaluator(_ bundle: ModelBundle, _ backends: [any Backend]) throws -> Evaluator {
    let loader = ModelLoader(backends: backends, sessions: options.threads)
    return try Evaluator(
      InferenceModel(bundle: bundle, loader: loader), decoder: options.decoder,
      fetch: options.fetch)
  }

  private var settings: SettingsRecord {
    SettingsRecord(
      iterations: options.iterations, warmup: options.warmup, threads: options.threads,
      seed: options.seed, limit: limit, decode: options.decoder.scaling.rawValue,
      metrics: options.metricNames(for: dataset), topK: options.topK,
      labelOffset: options.labelOffset,
      ignoredClass: options.ignoredClass)
  }

  private func record(sha256: String) -> DatasetRecord {
    DatasetRecord(
      layout: whole.layout, name: whole.name, id: whole.id, version: whole.version,
      path: whole.path, pictures: pictureCount,
      labelled: whole.samples.count { $0.truth != nil }, sha256: sha256,
      metric: options.metrics.isEmpty ? whole.metric : nil, notes: whole.notes)
  }
}

extension Dataset {
  /// What rows call the dataset.
  var rowName: String { id ?? name }
}

extension EvaluationOptions {
  /// The metrics that a dataset is evaluated by: those asked for, or else the dataset's own and the
  /// families that suit its labels.
  func metricNames(for dataset: Dataset) -> [String] {
    guard metrics.isEmpty else { return metrics }
    var names = dataset.metric.map { [$0] } ?? []
    for truth in dataset.samples.lazy.compactMap(\.truth) {
      guard let family = truth.metricFamily, !names.contains(family) else { continue }
      names.append(family)
    }
    return names
  }
}

extension GroundTruth {
  /// The name of the metrics that such truths are for.
  fileprivate var metricFamily: String? {
    switch self {
    case .label: "classification"
    case .values: "regression"
    case .boxes: "detection"
    case .classMap: "segmentation"
    case .results: nil
    }
  }
}
