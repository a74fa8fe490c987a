// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The errors of predicted numbers: all values, or one of them.
///
/// If an image has several numbers, each value is the mean over them, like scikit-learn's
/// `uniform_average`. Images that failed have no error. They are excluded, which the count and a
/// note show.
struct RegressionMetric: Metric {
  enum Value: String, CaseIterable { case mae, rmse, r2 }

  /// The data that is kept for an image.
  struct Item: Sendable, Hashable, Codable {
    /// The true numbers.
    var truth: PackedNumbers<Double>
    /// The predicted numbers, or nil if the image failed.
    var predicted: PackedNumbers<Double>?
  }

  /// The name for all values together.
  static let familyName = "regression"
  /// The names in the registry.
  static let names = [familyName] + Value.allCases.map(\.rawValue)

  let name: String
  let context: MetricContext

  func evaluate(_ truth: GroundTruth, _ prediction: Prediction?) throws -> Item? {
    guard case .values(let truth) = truth else { return nil }
    guard !truth.isEmpty, truth.allSatisfy(\.isFinite) else {
      throw TensorIOError(
        .unrepresentableValue,
        "Metric '\(name)' needs finite numbers as an image's truth, got \(truth).")
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
        "Metric '\(name)': the dataset gives \(counted(truth.count, "number")) for an image, but the "
          + "model's output has \(numbers.count). The dataset must give one for each.")
    }
    return Item(
      truth: item.truth, predicted: PackedNumbers(numbers.map(Double.init)))
  }

  func reduce(_ items: [Item]) throws -> MetricReport {
    let values = Value.allCases.filter { name == Self.familyName || name == $0.rawValue }
    let pairs = items.compactMap { item in
      item.predicted.map { (truth: item.truth.numbers, predicted: $0.numbers) }
    }
    var report = MetricReport(values: [])
    if pairs.count < items.count {
      report.notes.append(
        "\(items.count - pairs.count) of \(counted(items.count, "image")) failed and are left out."
      )
    }
    let outputs = pairs.first?.truth.count ?? 0
    guard pairs.allSatisfy({ $0.truth.count == outputs && $0.predicted.count == outputs }) else {
      throw TensorIOError(
        .wrongElementCount, "Metric '\(name)' needs the same number of values for each image.")
    }
    let broken = pairs.count { !$0.predicted.allSatisfy(\.isFinite) }
    guard !pairs.isEmpty, broken == 0 else {
      report.notes.append(
        pairs.isEmpty
          ? "No image has both a truth and a prediction, so there is nothing to measure."
          : "Nothing is defined: the model gave NaN or infinity for \(broken) of "
            + "\(counted(pairs.count, "image")).")
      report.values = values.map {
        MetricValue($0.rawValue, nil, count: 0, isHigherBetter: $0 == .r2)
      }
      return report
    }
    let errors = RegressionErrors(pairs, outputs: outputs)
    let resampled = Bootstrap(context).intervals(
      pictures: pairs.count, steps: 2 * pairs.count * outputs
    ) { weights in [errors.rmse(weights).mean, errors.r2(weights)?.mean] }
    for value in values {
      let (number, interval): (Double?, MetricValue.Interval?) =
        switch value {
        case .mae: (errors.mae().mean, .normal(meanOf: errors.perPicture))
        case .rmse: (errors.rmse().mean, resampled?[0])
        case .r2: (errors.r2()?.mean, resampled?[1])
        }
      report.values.append(
        MetricValue(
          value.rawValue, number, interval: number == nil ? nil : interval, count: pairs.count,
          isHigherBetter: value == .r2))
      if number == nil { report.notes.append("r2 is not defined for fewer than two images.") }
    }
    if outputs > 1, name == Self.familyName { report.classes = errors.classes(context.labels) }
    return report
  }
}
