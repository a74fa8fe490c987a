// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelCommands
import ModelTools
import NetRunner
import Synchronization
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Measures a model that is trained as `tensorio evaluate` would measure its export.
final class ExportEvaluation: Sendable {
  private let dataset: Dataset
  private let options: EvaluationOptions
  private let outputs: [String]?
  private let classes: [String]
  private let isOver: @Sendable () -> Bool
  /// The metrics for which a higher value is better.
  private let higherIsBetter = Mutex<Set<String>>([])

  /// Opens a dataset.
  ///
  /// - Parameters:
  ///   - path: The dataset.
  ///   - outputs: The outputs of the exported bundle; nil chooses those for inference.
  ///   - classes: The labels of outputs without labels.
  ///   - isOver: Whether the evaluation ends early.
  /// - Throws: `TensorIOError` when the dataset can't be read.
  init(
    _ path: String, outputs: [String]?, classes: [String],
    until isOver: @escaping @Sendable () -> Bool
  ) throws {
    dataset = try Dataset(contentsOf: path)
    for note in dataset.notes { Console.printMessage("\(dataset.name): \(note)") }
    var options = EvaluationOptions()
    options.registry = TensorIOTool.current.metrics
    options.fetch = ObjectStore.bytes
    self.options = options
    self.outputs = outputs
    self.classes = classes
    self.isOver = isOver
  }

  /// Exports the model to a temporary bundle, and evaluates that.
  ///
  /// - Returns: The metrics, without those that have a name in common; NaN for one that isn't defined, such as
  ///   a correlation with predictions that are all the same.
  /// - Throws: `CancellationError` if the evaluation ended early, because its metrics are those of a part of the
  ///   dataset.
  func measure(_ model: TrainableModel) throws -> [EpochMetric] {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "tensorio-evaluation-\(UUID().uuidString)").path
    // What remains of a temporary folder harms nothing.
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileSystem.writing("The folder '\(folder)' can't be made") {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    let path = folder + "/trained" + BundleWriter.fileExtension
    try model.exportBundle(
      to: path, outputs: outputs, classes: classes, isLasting: false)
    let bundle = try ModelBundle(path)
    let report: EvaluationReport
    do {
      report = try EvaluationRun(dataset, options: options).evaluate(
        [bundle], with: Backends.all, by: ToolRecord(version: Version.current),
        libraries: Backends.versions(for: [bundle]), until: { [isOver] in isOver() })
    } catch {
      // An evaluation that ends while the dataset is hashed fails with an error of its own.
      if isOver() { throw CancellationError() }
      throw error
    }
    if isOver() { throw CancellationError() }
    guard let result = report.models.first else { return [] }
    guard result.failed < result.images else {
      throw TensorIOError(
        .inferenceFailed,
        "None of \(result.images) samples in '\(dataset.name)' could be evaluated with the trained "
          + "model. Export it, and run 'tensorio evaluate' to see why.")
    }
    let values = result.metrics.sorted { $0.key < $1.key }.flatMap(\.value.values)
    higherIsBetter.withLock { names in
      names = Set(values.filter(\.isHigherBetter).map(\.name))
    }
    var names: Set<String> = []
    return values.compactMap { value in
      guard names.insert(value.name).inserted else { return nil }
      return EpochMetric(value.name, value.value ?? .nan)
    }
  }

  /// Whether a higher value of a metric is better, as the last measurement said.
  func prefersHigher(_ metric: String) -> Bool {
    higherIsBetter.withLock { $0.contains(metric) }
  }
}
