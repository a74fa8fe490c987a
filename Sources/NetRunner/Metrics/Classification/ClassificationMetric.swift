// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// How well a classifier names what pictures show: all values, or one of them.
///
/// Every labelled picture counts. One that failed, or whose label means no class of the model, is
/// wrong; what cannot be computed with such pictures leaves them out, and its count says so.
struct ClassificationMetric: Metric {
  /// A number that the metric can find; raw values are names in the registry.
  enum Value: String, CaseIterable {
    case top1, top5, topk
    case legacyTop5 = "EvaluationMetricAccuracyTop5"
    case balancedAccuracy = "balanced_accuracy"
    case macroPrecision = "macro_precision"
    case macroRecall = "macro_recall"
    case macroF1 = "macro_f1"
    case microPrecision = "micro_precision"
    case microRecall = "micro_recall"
    case microF1 = "micro_f1"
    case weightedPrecision = "weighted_precision"
    case weightedRecall = "weighted_recall"
    case weightedF1 = "weighted_f1"
    case logLoss = "log_loss"
    case ece
    case rocAUC = "roc_auc"
    case averagePrecision = "average_precision"
  }

  /// The name of all values together.
  static let familyName = "classification"
  /// The names in the registry.
  static let names = [familyName] + Value.allCases.map(\.rawValue)
  /// With more classes, scores are only kept for a metric that is asked for by its name: 50,000
  /// pictures of 1,000 classes have 200 MB of them.
  static let maximumScoredClasses = 100

  let name: String
  let context: MetricContext
  let classes: ClassList
  /// The value that is asked for; nil for all.
  let value: Value?

  init(name: String, context: MetricContext) throws {
    guard context.topK > 0 else {
      throw TensorIOError(
        .invalidOption, "The k of top-k accuracy must be at least 1, got \(context.topK).")
    }
    guard !context.labels.isEmpty else {
      throw TensorIOError(
        .invalidOption,
        "Metric '\(name)' needs the model's labels, but it has none: give an output of its "
          + "model.json \"labels\".")
    }
    self.name = name
    self.context = context
    classes = ClassList(context)
    value = Value(rawValue: name)
  }

  private var keepsScores: Bool {
    switch value {
    case .rocAUC, .averagePrecision: true
    case nil: classes.names.count <= Self.maximumScoredClasses
    default: false
    }
  }

  func evaluate(_ truth: GroundTruth, _ prediction: Prediction?) throws -> ClassificationItem? {
    guard case .label(let label) = truth else { return nil }
    var item = ClassificationItem(label: label, classes: classes)
    guard let prediction else {
      item.failed = true
      return item
    }
    guard let classification = prediction.classification else {
      throw TensorIOError(
        .wrongOutputType,
        "Metric '\(name)' needs an output with labels, but the model gave none for the picture.")
    }
    let values = try scores(of: classification)
    item.read(values, members: classes.classes(for: label), keepsScores: keepsScores)
    return item
  }

  /// All scores in the labels' order; a selection of the best ones has no ranks to read.
  private func scores(of classification: Classification) throws -> [Float] {
    var values: [Float] = []
    values.reserveCapacity(classification.count)
    for (label, value) in classification {
      guard values.count < classes.names.count, classes.names[values.count] == label else {
        throw TensorIOError(
          .wrongOutputType,
          "Metric '\(name)' needs all values in the order of the model's labels: value "
            + "\(values.count) is of '\(label)', not of "
            + (values.count < classes.names.count
              ? "'\(classes.names[values.count])'." : "a label."))
      }
      values.append(value)
    }
    return values
  }

  func reduce(_ items: [ClassificationItem]) throws -> MetricReport {
    var reduction = try ClassificationReduction(items, metric: self)
    return reduction.run()
  }
}
