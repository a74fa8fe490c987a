// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import MetricMath
import TensorIO

/// The errors of predicted numbers: all values, or one of them.
///
/// If an image has several numbers, each value is the mean over them, like scikit-learn's
/// `uniform_average`. Images that failed have no error. They are excluded, which the count and a
/// note show.
struct RegressionMetric: MetricFamily {
  typealias Value = PairedNumbers.Measure

  struct Item: Sendable, Hashable, Codable {
    var truth: PackedNumbers<Double>
    /// The predicted numbers, or nil if the image failed.
    var predicted: PackedNumbers<Double>?
  }

  static let familyName = "regression"

  let name: String
  let context: MetricContext

  func evaluate(_ truth: GroundTruth, _ prediction: Prediction?) throws -> Item? {
    guard case .values(let truth) = truth else { return nil }
    guard !truth.isEmpty, truth.allSatisfy(\.isFinite) else {
      throw TensorIOError(
        .unrepresentableValue,
        "Metric '\(name)' needs finite numbers as \(context.content.withArticle)'s truth, got \(truth)."
      )
    }
    let item = Item(truth: PackedNumbers(truth))
    guard let prediction else { return item }
    guard let numbers = prediction.values ?? prediction.classification.map({ $0.map(\.value) })
    else {
      throw TensorIOError(
        .wrongOutputType, "Metric '\(name)' needs an output of numbers, but the model has none.")
    }
    guard numbers.count == truth.count else {
      throw TensorIOError(
        .wrongElementCount,
        "Metric '\(name)': the dataset gives \(counted(truth.count, "number")) for \(context.content.withArticle), but the "
          + "model's output has \(numbers.count). The dataset must give one for each.")
    }
    return Item(
      truth: item.truth, predicted: PackedNumbers(numbers.map(Double.init)))
  }

  func reduce(_ items: [Item]) throws -> MetricReport {
    let pairs = items.compactMap { item in
      item.predicted.map { (truth: item.truth.numbers, predicted: $0.numbers) }
    }
    var report = MetricReport(values: [])
    if pairs.count < items.count {
      report.notes.append(
        "\(items.count - pairs.count) of \(context.content.counted(items.count)) failed and are left out."
      )
    }
    let outputs = pairs.first?.truth.count ?? 0
    guard pairs.allSatisfy({ $0.truth.count == outputs && $0.predicted.count == outputs }) else {
      throw TensorIOError(
        .wrongElementCount,
        "Metric '\(name)' needs the same number of values for each \(context.content.noun).")
    }
    let broken = pairs.count { !$0.predicted.allSatisfy(\.isFinite) }
    guard !pairs.isEmpty, broken == 0 else {
      report.notes.append(
        pairs.isEmpty
          ? "No \(context.content.noun) has both a truth and a prediction, so there is nothing to measure."
          : "Nothing is defined: the model gave NaN or infinity for \(broken) of "
            + "\(context.content.counted(pairs.count)).")
      report.values = values.map {
        MetricValue($0.rawValue, nil, count: 0, isHigherBetter: $0.isHigherBetter)
      }
      return report
    }
    let numbers = try (0..<outputs).map { output in
      try PairedNumbers(
        truths: pairs.map { $0.truth[output] }, predicted: pairs.map { $0.predicted[output] },
        keepsOrders: true)
    }
    // The mean of the errors has a formula for its interval.
    let bootstrap = Bootstrap(context)
    var resampled = values.filter { $0 != .mae }
    if !bootstrap.allows(steps: pairs.count * outputs * resampled.count) {
      // Many images leave time for the most frequent values only.
      resampled.removeAll { $0 != .rmse && $0 != .r2 }
    }
    let intervals =
      resampled.isEmpty
      ? nil
      : bootstrap.intervals(
        images: pairs.count, steps: pairs.count * outputs * resampled.count
      ) { weights in resampled.map { PairedNumbers.mean($0, of: numbers, weights: weights) } }
    for value in values {
      let number = PairedNumbers.mean(value, of: numbers)
      var interval: MetricValue.Interval?
      if value == .mae {
        interval = .normal(meanOf: Self.errors(pairs))
      } else if let index = resampled.firstIndex(of: value) {
        interval = intervals?[index]
      }
      report.values.append(
        MetricValue(
          value.rawValue, number, interval: number == nil ? nil : interval, count: pairs.count,
          isHigherBetter: value.isHigherBetter))
      if number == nil { report.notes.append(note(on: value, images: pairs.count)) }
    }
    if outputs > 1, isFamily { report.classes = Self.classes(numbers, context.labels) }
    return report
  }

  /// The mean error of each image.
  private static func errors(_ pairs: [(truth: [Double], predicted: [Double])]) -> [Double] {
    pairs.map { pair in zip(pair.truth, pair.predicted).map { abs($0 - $1) }.mean }
  }

  private func note(on value: Value, images: Int) -> String {
    let reason =
      images < 2
      ? "for fewer than two \(context.content.plural)"
      : "if all truths or all predictions of an output are equal"
    return "\(value.rawValue) is not defined \(reason)."
  }

  private static func classes(_ outputs: [PairedNumbers], _ labels: [String]) -> [ClassMetrics] {
    outputs.enumerated().map { output, numbers in
      ClassMetrics(
        label: labels.count == outputs.count ? labels[output] : "\(output)",
        support: numbers.count,
        values: Dictionary(
          uniqueKeysWithValues: Value.allCases.map { ($0.rawValue, numbers.value($0)) }))
    }
  }
}

extension Collection<Double> {
  /// The mean, or NaN if the collection is empty.
  var mean: Double { reduce(0, +) / Double(count) }

  /// The mean, or nil if the collection is empty.
  var meanIfAny: Double? { isEmpty ? nil : mean }
}
