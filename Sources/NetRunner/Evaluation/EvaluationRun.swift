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

/// Evaluates models on a dataset and creates a report.
///
/// ```swift
/// let dataset = try Dataset(contentsOf: "digits.testbundle")
/// let run = try EvaluationRun(dataset)
/// let report = try run.evaluate([ModelBundle("digits.tiobundle")], with: [.liteRT])
/// ```
public struct EvaluationRun: Sendable {
  /// The progress of an evaluation.
  public struct Progress: Sendable {
    /// The model's identifier.
    public var model: String
    /// The number of images that are done, including failed ones.
    public var done: Int
    /// The number of all images.
    public var count: Int
    /// The number of images that failed.
    public var failed: Int
    /// The number of labelled images whose top prediction is correct.
    public var correct: Int
    /// The number of labelled images that are done.
    public var judged: Int
    /// The row of the most recent image.
    public var row: ResultRow
  }

  /// The images to evaluate, after the limit and the part have been applied.
  public let dataset: Dataset
  /// The options of the evaluation.
  public let options: EvaluationOptions

  private let imageCount: Int
  private let whole: Dataset
  /// The names of the metrics, which suit the labels of all images, not only of the part.
  private let metrics: [String]
  private let part: PartRecord?
  private let limit: Int?

  /// Prepares an evaluation.
  ///
  /// - Parameters:
  ///   - dataset: The images.
  ///   - options: The options of the evaluation.
  ///   - limit: The maximum number of images, or nil for all. The options' seed selects the images.
  ///     If the seed is 0, the first images are selected.
  ///   - part: The part of these images to evaluate, or nil for all.
  /// - Throws: `TensorIOError` if the limit or part isn't valid.
  public init(
    _ dataset: Dataset, options: EvaluationOptions = EvaluationOptions(), limit: Int? = nil,
    part: PartRecord? = nil
  ) throws {
    imageCount = dataset.samples.count
    let seed = options.seed == 0 ? nil : options.seed
    let whole = try limit.map { try dataset.limited(to: $0, seed: seed) } ?? dataset
    self.whole = whole
    metrics = options.metricNames(for: whole)
    self.dataset = try part.map { try whole.part($0.index, of: $0.count) } ?? whole
    self.options = options
    self.limit = limit
    self.part = part
  }

  /// Evaluates the models, one after the other.
  ///
  /// An image that fails becomes a row with an error. If a model can't be loaded, all its images
  /// fail.
  ///
  /// - Parameters:
  ///   - bundles: The models.
  ///   - backends: The runtimes.
  ///   - tool: The program, for the report.
  ///   - libraries: The versions of the runtimes' libraries, for the report.
  ///   - isOver: Called between images. If it returns true, the report has only the images that are
  ///     done.
  ///   - onProgress: Called after each image.
  /// - Returns: The report.
  /// - Throws: `TensorIOError` if no model can be loaded, or if a metric doesn't suit a model. The
  ///   code is `cancelled` if the evaluation is stopped while the dataset is hashed.
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
      do {
        let evaluator = Result { try Evaluator(bundle, backends, options) }
        if case .failure(let error) = evaluator { failure = failure ?? error }
        if case .success = evaluator { isAnyLoaded = true }
        var pass = try ModelPass(
          bundle, evaluator, dataset: dataset, metrics: metrics, options: options)
        try pass.run(until: isOver, onProgress: onProgress)
        models.append(try pass.result(keepingItems: part != nil))
        rows += pass.rows
      } catch let error as TensorIOError {
        throw error.about(bundle.path)
      }
    }
    if let failure, !isAnyLoaded { throw failure }
    return EvaluationReport(
      tool: tool, created: created, part: part, settings: settings,
      environment: .current(libraries: libraries), dataset: record(sha256: hash), models: models,
      summary: models.map { $0.summary(testBundle: dataset.rowName) }, results: rows)
  }

  private var settings: SettingsRecord {
    SettingsRecord(
      iterations: options.iterations, warmup: options.warmup, threads: options.threads,
      seed: options.seed, limit: limit, decode: options.decoder.scaling.rawValue,
      metrics: metrics, topK: options.topK,
      labelOffset: options.labelOffset,
      labelMap: options.labelMap.isEmpty ? nil : options.labelMap,
      ignoredClass: options.ignoredClass)
  }

  private func record(sha256: String) -> DatasetRecord {
    DatasetRecord(
      layout: whole.layout, name: whole.name, id: whole.id, version: whole.version,
      path: whole.path, images: imageCount,
      labelled: whole.samples.count { $0.truth != nil }, sha256: sha256,
      metric: options.metrics.isEmpty ? whole.metric : nil, notes: whole.notes,
      content: whole.content == .images ? nil : whole.content)
  }
}

extension Evaluator {
  package init(_ bundle: ModelBundle, _ backends: [any Backend], _ options: EvaluationOptions)
    throws
  {
    do {
      let loader = ModelLoader(backends: backends, sessions: options.threads)
      try self.init(
        InferenceModel(bundle: bundle, loader: loader), decoder: options.decoder,
        fetch: options.fetch)
    } catch let error as TensorIOError {
      throw error.about(bundle.path)
    }
  }
}

extension Dataset {
  var rowName: String { id ?? name }
}

/// How much of a model's outputs is kept in a row.
public enum KeptOutputs: Sendable, Hashable {
  /// Everything.
  case all
  /// The given number of highest labelled values, and at most as many numbers of other outputs.
  case top(Int)
  /// Nothing.
  case none
}
