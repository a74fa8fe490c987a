// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Keeps track of the best epoch and decides when the training has stopped improving.
struct BestEpochTracker {
  /// The name of the output or metric that is monitored; nil if no output has a mean.
  let name: String?
  private let isMetric: Bool
  private let prefersHigher: Bool
  private let earlyStopping: EarlyStopping?
  /// What is known so far.
  var progress = Progress()

  struct Progress: Codable, Hashable, Sendable {
    var best: Double?
    /// The value that the next improvement is measured from.
    var reference: Double?
    var epochsWithoutImprovement = 0
  }

  /// - Throws: ``TensorIOError`` when the output to monitor is unknown or has no mean.
  init(_ options: TrainingOptions, _ outputs: [TensorSpec]) throws {
    prefersHigher = options.prefersHigher
    earlyStopping = options.earlyStopping
    isMetric = options.monitoredMetric != nil
    if isMetric {
      name = options.monitoredMetric
      return
    }
    if let wanted = options.monitoredOutput {
      guard let spec = outputs.first(where: { $0.name == wanted }) else {
        throw TensorIOError.unknownOutput(wanted, among: outputs)
      }
      guard spec.hasMean else {
        throw TensorIOError(
          .wrongOutputType,
          "The output '\(wanted)' of shape \(spec.shape) can't be monitored. Monitor an "
            + "output that is one number for a batch, or one for each item.")
      }
      name = wanted
      return
    }
    name = OutputMeans.lossName(among: outputs.filter(\.hasMean).map(\.name))
    if name == nil, options.earlyStopping != nil || options.keepsBest {
      throw TensorIOError(
        .unknownOutput,
        "None of the model's outputs is a single number, such as a loss, that can show which "
          + "epoch is the best. Turn off early stopping and keepsBest.")
    }
  }

  /// Whether the training should end.
  var isOver: Bool {
    earlyStopping.map { progress.epochsWithoutImprovement >= $0.patience } ?? false
  }

  /// Records the means and metrics of an epoch, and returns whether it is the best so far.
  ///
  /// A metric that is NaN, or that was measured before but isn't now, is no improvement.
  ///
  /// - Throws: ``TensorIOError`` when the metric to monitor was never measured.
  mutating func note(_ means: OutputMeans, _ metrics: [EpochMetric]) throws -> Bool {
    guard let name else { return false }
    let found = isMetric ? metrics.first { $0.name == name }?.value : means[name]
    if isMetric, found == nil, progress == Progress() {
      throw TensorIOError(
        .invalidOption,
        "The metric '\(name)' can't be monitored, because it isn't measured. The metrics are "
          + quotedList(metrics.map(\.name)) + ".")
    }
    guard let value = isMetric ? (found ?? Double.nan) : found else { return false }
    if isBetter(value, than: progress.reference, by: earlyStopping?.minimumImprovement ?? 0) {
      progress.reference = value
      progress.epochsWithoutImprovement = 0
    } else {
      progress.epochsWithoutImprovement += 1
    }
    guard isBetter(value, than: progress.best, by: 0) else { return false }
    progress.best = value
    return true
  }

  /// Compares two values; NaN is never better.
  private func isBetter(_ value: Double, than other: Double?, by least: Double) -> Bool {
    guard let other else { return !value.isNaN }
    let improvement = prefersHigher ? value - other : other - value
    return least > 0 ? improvement >= least : improvement > 0
  }
}

/// Weights of a model in a temporary folder.
final class BestCheckpoint {
  private let model: TrainableModel
  private let folder: TemporaryFolder
  private var isKept = false

  init(of model: TrainableModel) throws {
    self.model = model
    folder = try TemporaryFolder(" for the best weights")
  }

  /// Writes the weights once, to learn before the first epoch whether they can be written.
  func check() throws { try model.export(to: folder.path) }

  /// Saves the model's current weights and replaces those saved before.
  func keep() throws {
    try model.export(to: folder.path)
    isKept = true
  }

  /// Restores the saved weights; does nothing if none were saved.
  func restore() throws {
    if isKept { try model.restore(from: folder.path) }
  }
}
