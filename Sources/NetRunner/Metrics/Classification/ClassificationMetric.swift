// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The quality of classification: all values, or one of them.
///
/// Every labelled image counts. An image is wrong if it failed, or if its label isn't a class of
/// the model. Values that can't be computed for such images exclude them, which the count shows.
struct ClassificationMetric: MetricFamily {
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

    var isHigherBetter: Bool { self != .logLoss && self != .ece }
  }

  static let familyName = "classification"
  /// The maximum number of classes for which scores are always kept.
  ///
  /// For more classes, they are kept only if a metric that needs them is requested by name. 50,000
  /// images with 1,000 classes have 200 MB of scores.
  static let maximumScoredClasses = 100

  let name: String
  let context: MetricContext
  let classes: ClassList
  /// The requested value, or nil for all values.
  let value: Value?

  init(name: String, context: MetricContext) throws {
    guard context.topK > 0 else {
      throw TensorIOError(
        .invalidOption, "The k of top-k accuracy must be at least 1, got \(context.topK).")
    }
    guard !context.labels.isEmpty else {
      throw TensorIOError(
        .invalidOption,
        "Metric '\(name)' needs the model's labels, but the model has none. Add \"labels\" to an "
          + "output in its model.json, or \"decode\": {\"type\": \"binary\", \"labels\": "
          + "\"labels.txt\"} to one whose number decides two classes, or measure its vectors with "
          + "--metric retrieval.")
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
    item.failed = prediction == nil
    guard let prediction else { return item }
    guard let classification = prediction.classification else {
      throw TensorIOError(
        .wrongOutputType,
        "Metric '\(name)' needs an output with labels, but the model gave none for the \(context.content.noun)."
      )
    }
    let values = try scores(of: classification)
    item.read(values, members: classes.classes(for: label), keepsScores: keepsScores)
    return item
  }

  /// All scores in the order of the labels.
  ///
  /// A selection of the best scores isn't accepted, because ranks can't be computed from it.
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
    return try reduction.run()
  }
}
