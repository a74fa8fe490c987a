// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIODecoding

/// Runs one model on all images of a dataset.
struct ModelPass {
  private(set) var rows: [ResultRow] = []

  private let bundle: ModelBundle
  private let evaluator: Result<Evaluator, any Error>
  private let dataset: Dataset
  private let options: EvaluationOptions
  private let labels: [String]
  private let rowMaker: RowMaker
  private let comparer: TruthComparer
  private var accumulators: [MetricAccumulator]
  private var failed = 0
  private var labelled = 0
  private var correct = 0
  private var judged = 0
  private var seconds = 0.0

  init(
    _ bundle: ModelBundle, _ evaluator: Result<Evaluator, any Error>, dataset: Dataset,
    metrics: [String], options: EvaluationOptions
  ) throws {
    self.bundle = bundle
    self.evaluator = evaluator
    self.dataset = dataset
    self.options = options
    labels = (try? evaluator.get())?.labels ?? []
    let context = MetricContext(
      labels: labels, topK: options.topK, labelOffset: options.labelOffset,
      labelMap: options.labelMap, ignoredClass: options.ignoredClass, seed: options.seed,
      content: dataset.content)
    let classes = ClassList(context)
    comparer = TruthComparer(context)
    try classes.checkMap(model: bundle.manifest.name)
    let outputsKept = options.kept ?? (dataset.layout == .testBundle ? .all : .top(5))
    rowMaker = RowMaker(
      model: bundle.manifest.id, testBundle: dataset.rowName, kept: outputsKept,
      classes: classes, shownPath: options.shownPath)
    do {
      accumulators = try metrics.map {
        MetricAccumulator(try options.registry.metric(named: $0, context: context))
      }
    } catch {
      // A model that failed to load has no labels. The reason for that failure is more helpful.
      if case .failure(let cause) = evaluator { throw cause }
      throw error
    }
  }

  mutating func run(
    until isOver: () -> Bool, onProgress: (EvaluationRun.Progress) -> Void
  ) throws {
    let samples = dataset.samples
    let indices = dataset.indices
    let (options, rowMaker, comparer) = (options, rowMaker, comparer)
    try warmUp(Self.evaluation(evaluator, iterations: 1), until: isOver)
    let evaluate = Self.evaluation(evaluator, iterations: options.iterations)
    let clock = ContinuousClock()
    let start = clock.now
    let work = ParallelWork(count: samples.count, threads: options.threads) { position in
      let sample = samples[position]
      let evaluation = evaluate(sample)
      var row = rowMaker.row(evaluation, of: sample, at: indices[position])
      let prediction = try? evaluation.result.get()
      // A report without pictures and comparisons is still a report, and the metrics report truths
      // that can't be read.
      let isDrawn = options.drawsAllRows || position < ResultPicture.count
      if isDrawn, let prediction { row.picture = try? ResultPicture(prediction) }
      row.comparison = try? comparer.comparison(
        of: prediction, with: sample.truth, drawing: isDrawn)
      return (row: row, prediction: prediction)
    }
    try work.run(until: isOver) { position, output in
      let row = try add(output.row, samples[position].truth, output.prediction)
      if position >= ResultPicture.count { rows[rows.count - 1].dropPictures() }
      onProgress(
        EvaluationRun.Progress(
          model: bundle.manifest.id, done: rows.count, count: samples.count, failed: failed,
          correct: correct, judged: judged, row: row))
    }
    seconds = (clock.now - start).milliseconds / 1000
  }

  func result(keepingItems: Bool) throws -> ModelResult {
    var metrics: [String: MetricReport] = [:]
    var items: [String: [JSONValue]] = [:]
    for accumulator in accumulators {
      metrics[accumulator.name] = try accumulator.report()
      if keepingItems { items[accumulator.name] = try accumulator.items(at: rows.map(\.index)) }
    }
    return ModelResult(
      model: try ModelRecord(bundle, options.decoder), images: rows.count, failed: failed,
      labelled: labelled, metrics: metrics, latency: LatencyRecord(rows.compactMap(\.evaluation)),
      throughput: seconds > 0 ? Double(rows.count) / seconds : 0, seconds: seconds,
      peakMemory: ProcessMemory.peak, items: keepingItems ? items : nil,
      labels: keepingItems ? labels : nil, skeleton: skeleton)
  }

  /// The connected keypoints of the first output that has any.
  private var skeleton: [[Int]]? {
    guard let signature = try? evaluator.get().model.loadSignature() else { return nil }
    let skeletons = signature.outputs.lazy.map { signature.skeleton(of: $0.name) }
    return skeletons.first { !$0.isEmpty }?.map { [$0.0, $0.1] }
  }

  private mutating func add(
    _ row: ResultRow, _ truth: GroundTruth?, _ prediction: Prediction?
  ) throws -> ResultRow {
    var row = row
    if let truth {
      if let failure = try judge(row.index, truth, prediction) {
        row.error = true
        row.errorDescription = failure.naming(options.shownPath).message
        row.evaluation = nil
        row.isCorrect = row.isCorrect.map { _ in false }
      }
      labelled += 1
    }
    rows.append(row)
    if row.error { failed += 1 }
    if let isCorrect = row.isCorrect {
      judged += 1
      if isCorrect { correct += 1 }
    }
    return row
  }

  /// Adds an image to all metrics.
  ///
  /// - Returns: Why a metric can't judge the image, or nil. The image then counts as failed.
  /// - Throws: The same error for the first labelled image, because the metric doesn't suit the
  ///   model.
  private mutating func judge(
    _ index: Int, _ truth: GroundTruth, _ prediction: Prediction?
  ) throws -> TensorIOError? {
    var failure: TensorIOError?
    for position in accumulators.indices {
      do {
        try add(truth, prediction, at: index, to: position)
      } catch let error as TensorIOError where labelled > 0 && prediction != nil {
        failure = error
        try add(truth, nil, at: index, to: position)
      }
    }
    return failure
  }

  private mutating func add(
    _ truth: GroundTruth, _ prediction: Prediction?, at index: Int, to position: Int
  ) throws {
    do {
      try accumulators[position].add(truth, prediction, at: index)
    } catch let error as TensorIOError {
      switch truth {
      case .classMap(let path): throw error.about(path)
      case .segments(let segments): throw error.about(segments.path)
      default: throw error
      }
    }
  }

  /// Runs the model before the measurement, on the first image that can be evaluated.
  private func warmUp(
    _ evaluate: @escaping @Sendable (Sample) -> Evaluation, until isOver: () -> Bool
  ) throws {
    guard options.warmup > 0, case .success = evaluator,
      let sample = dataset.samples.prefix(20).first(where: {
        if case .success = evaluate($0).result { true } else { false }
      })
    else { return }
    let work = ParallelWork(count: options.warmup * options.threads, threads: options.threads) {
      _ in
      _ = evaluate(sample)
    }
    try work.run(until: isOver, receive: { _, _ in })
  }

  private static func evaluation(
    _ evaluator: Result<Evaluator, any Error>, iterations: Int
  ) -> @Sendable (Sample) -> Evaluation {
    switch evaluator {
    case .success(let evaluator):
      return { evaluator.evaluate($0.source, id: $0.id, iterations: iterations) }
    case .failure(let error):
      let known = error as? TensorIOError
      var failure = TensorIOError(
        .unsupportedModel, "The model could not be loaded: \(known?.message ?? "\(error)")",
        cause: error)
      failure.paths = known?.paths ?? []
      return { [failure] in Evaluation(id: $0.id, result: .failure(failure)) }
    }
  }
}
