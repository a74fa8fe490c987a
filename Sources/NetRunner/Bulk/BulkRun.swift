// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// Runs models on many images, stores the rows as it goes, and can resume after it was killed.
///
/// ```swift
/// let run = BulkRun(try Dataset(images: ["photos"]), log: try SQLiteLog("results.sqlite"))
/// let counts = try run.run([ModelBundle("pets.tiobundle")], with: [.liteRT])
/// ```
public struct BulkRun {
  /// The progress of a model.
  public struct Progress: Sendable, Hashable {
    /// The model's identifier.
    public var model: String
    /// The number of images that have a row.
    public var done: Int
    /// The number of all images.
    public var count: Int
    /// The number of images that failed, in this run or an earlier one.
    public var failed: Int
    /// The error of the first image that failed in this run, or nil if none did.
    public var firstError: String?
    /// The number of images that had a row before this run started.
    public var resumed: Int
    /// Why the model couldn't be loaded, or nil if it was loaded.
    public var failure: String?
  }

  private let samples: BulkSamples
  private let options: EvaluationOptions
  private let log: any BulkLog
  private let retriesFailures: Bool
  /// Rows are stored once there are this many, or after a second.
  private static let batchSize = 64

  /// Prepares a run.
  ///
  /// - Parameters:
  ///   - dataset: The images. Their labels are ignored.
  ///   - options: How the images are run: iterations, warm-up, threads, which results are kept, and
  ///     how images are decoded and fetched.
  ///   - log: Where the rows are stored. Images that already have a row aren't run again.
  ///   - retriesFailures: Whether images that failed before are run again.
  public init(
    _ dataset: Dataset, options: EvaluationOptions = EvaluationOptions(), log: any BulkLog,
    retriesFailures: Bool = false
  ) {
    self.init(
      .dataset(dataset), options: options, log: log, retriesFailures: retriesFailures)
  }

  /// Prepares a run on samples that needn't be in memory.
  package init(
    _ samples: BulkSamples, options: EvaluationOptions, log: any BulkLog, retriesFailures: Bool
  ) {
    self.samples = samples
    self.options = options
    self.log = log
    self.retriesFailures = retriesFailures
  }

  /// Runs the models, one after the other.
  ///
  /// - Parameters:
  ///   - bundles: The models.
  ///   - backends: The runtimes.
  ///   - isOver: Called between images. If it returns true, the run stops and images that have been
  ///     started are still stored.
  ///   - onProgress: Called after each image.
  /// - Returns: The final progress of each model. If a model can't be loaded, the others still run.
  /// - Throws: `TensorIOError` if the log can't be written, or if it has rows with the same model
  ///   identifier but another model, preprocessing or settings.
  public func run(
    _ bundles: [ModelBundle], with backends: [any Backend], until isOver: () -> Bool = { false },
    onProgress: (Progress) -> Void = { _ in }
  ) throws -> [Progress] {
    let models = try bundles.map { try ModelRecord($0, options.decoder) }
    let runs = try models.map { try BulkRowMaker.stamp(of: $0, options) }
    var stamps: [String: (run: String, older: String)] = [:]
    for (model, run) in zip(models, runs) {
      let older = try BulkRowMaker.olderStamp(of: model, options)
      guard stamps.updateValue((run, older), forKey: model.id) == nil else {
        throw TensorIOError(
          .invalidOption,
          "Two of the models have the identifier '\(model.id)', but results are told "
            + "apart by it. Change `id` in the model.json of one of them.")
      }
    }
    var before = try rowsBefore(stamps)
    // Failures are removed only now, so that no row is lost if rows of other settings are refused.
    if retriesFailures {
      try log.removeFailures(of: Set(before.keys))
      for model in before.keys { before[model]?.dropFailures() }
    }
    var results: [Progress] = []
    for (bundle, run) in zip(bundles, runs) where !isOver() {
      results.append(
        try self.run(
          bundle, backends, run, without: before[bundle.manifest.id] ?? samples.makeStored(),
          until: isOver, onProgress: onProgress))
    }
    try log.flush()
    return results
  }

  private func run(
    _ bundle: ModelBundle, _ backends: [any Backend], _ run: String, without before: StoredSamples,
    until isOver: () -> Bool, onProgress: (Progress) -> Void
  ) throws -> Progress {
    let feed = samples.makeFeed(without: before, options.objects)
    var (received, failed) = (0, 0)
    var progress = Progress(model: bundle.manifest.id, done: 0, count: 0, failed: 0, resumed: 0)
    func update(_ counts: BulkItem.Counts) {
      (progress.count, progress.resumed) = (counts.known, counts.done)
      (progress.done, progress.failed) = (counts.done + received, counts.failed + failed)
    }
    update(feed.counts)
    guard progress.done < progress.count else { return progress }
    let evaluator: Evaluator
    do {
      evaluator = try Evaluator(bundle, backends, options)
    } catch let error as TensorIOError {
      progress.failure = error.message
      return progress
    }
    var pending: [BulkRow] = []
    let clock = ContinuousClock()
    var kept = clock.now
    try work(evaluator, feed, run).run(until: isOver) { _, result in
      let (row, counts) = try result.get()
      pending.append(row)
      if !row.isEnd { received += 1 }
      if row.result.error {
        failed += 1
        progress.firstError = progress.firstError ?? row.result.errorDescription
      }
      update(counts)
      if pending.count >= Self.batchSize || clock.now - kept > .seconds(1) {
        try log.append(pending)
        pending.removeAll(keepingCapacity: true)
        kept = clock.now
      }
      onProgress(progress)
    }
    if !pending.isEmpty { try log.append(pending) }
    // The threads have ended, and perhaps passed over the last samples.
    update(feed.counts)
    return progress
  }

  private func work(
    _ evaluator: Evaluator, _ feed: any BulkFeed, _ run: String
  ) -> ParallelWork<Result<(BulkRow, BulkItem.Counts), any Error>> {
    let iterations = options.iterations
    let maker = BulkRowMaker(evaluator, run: run, options)
    return ParallelWork(threads: options.threads, room: Self.batchSize) { _, isOver in
      do {
        guard let item = try feed.next(until: isOver) else { return nil }
        return {
          var sample = item.sample
          sample.truth = nil
          guard let source = item.source else {
            let members = item.place?.rows ?? 0
            return .success(
              (maker.row(ending: sample, after: members, at: item.index), item.counts))
          }
          let evaluation = evaluator.evaluate(source, id: sample.id, iterations: iterations)
          var row = maker.row(evaluation, of: sample, at: item.index)
          row.place = item.place
          return .success((row, item.counts))
        }
      } catch {
        return { .failure(error) }
      }
    }
  }

  /// The samples that already have a row, for each model.
  private func rowsBefore(
    _ stamps: [String: (run: String, older: String)]
  ) throws -> [String: StoredSamples] {
    var before: [String: StoredSamples] = [:]
    try log.forEachRow { row in
      let model = row.result.model
      guard let (run, older) = stamps[model] else { return }
      guard row.run != older else {
        throw TensorIOError(
          .invalidOption,
          "The results contain rows of '\(model)' from an earlier version of this program, which "
            + "didn't note the labels, the weights and the layers of the bundle. Complete them with "
            + "that version, or name another file for the results.")
      }
      guard row.run == run else {
        throw TensorIOError(
          .invalidOption,
          "The results contain rows of a different '\(model)': its model.json, its files, the "
            + "settings or the accelerator have changed since then. Name another file for the "
            + "results.")
      }
      before[model, default: samples.makeStored()].add(row)
    }
    return before
  }
}
