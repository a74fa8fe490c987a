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
struct RegressionMetric: MetricFamily {
  enum Value: String, CaseIterable {
    case mae, rmse, r2

    var isHigherBetter: Bool { self == .r2 }
  }

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
        MetricValue($0.rawValue, nil, count: 0, isHigherBetter: $0.isHigherBetter)
      }
      return report
    }
    let errors = RegressionErrors(pairs: pairs, outputs: outputs)
    let resampled = Bootstrap(context).intervals(
      images: pairs.count, steps: 2 * pairs.count * outputs
    ) { weights in [errors.rmse(weights).mean, errors.r2(weights)?.mean] }
    for value in values {
      let (number, interval): (Double?, MetricValue.Interval?) =
        switch value {
        case .mae: (errors.mae().mean, .normal(meanOf: errors.perImage))
        case .rmse: (errors.rmse().mean, resampled?[0])
        case .r2: (errors.r2()?.mean, resampled?[1])
        }
      report.values.append(
        MetricValue(
          value.rawValue, number, interval: number == nil ? nil : interval, count: pairs.count,
          isHigherBetter: value.isHigherBetter))
      if number == nil { report.notes.append("r2 is not defined for fewer than two images.") }
    }
    if outputs > 1, isFamily { report.classes = errors.classes(context.labels) }
    return report
  }
}

struct RegressionErrors {
  /// At least one pair, which all have the same number of finite values.
  let pairs: [(truth: [Double], predicted: [Double])]
  let outputs: Int

  var perImage: [Double] {
    pairs.map { pair in zip(pair.truth, pair.predicted).map { abs($0 - $1) }.mean }
  }

  func mae() -> [Double] {
    (0..<outputs).map { output in
      pairs.map { abs($0.truth[output] - $0.predicted[output]) }.mean
    }
  }

  func rmse(_ weights: [Int]? = nil) -> [Double] {
    (0..<outputs).map { output in
      (squares(output, weights) / count(weights)).squareRoot()
    }
  }

  /// The coefficient of determination of each output, or nil for fewer than two images.
  ///
  /// If all truths are equal, it is 1 for exact predictions and 0 otherwise, as in scikit-learn.
  func r2(_ weights: [Int]? = nil) -> [Double]? {
    guard pairs.count > 1 else { return nil }
    return (0..<outputs).map { output in
      let squares = squares(output, weights)
      let variation = variation(output, weights)
      if variation == 0 { return squares == 0 ? 1 : 0 }
      return 1 - squares / variation
    }
  }

  func classes(_ labels: [String]) -> [ClassMetrics] {
    let mae = mae()
    let rmse = rmse()
    let r2 = r2()
    return (0..<outputs).map { output in
      ClassMetrics(
        label: labels.count == outputs ? labels[output] : "\(output)", support: pairs.count,
        values: ["mae": mae[output], "rmse": rmse[output], "r2": r2?[output]])
    }
  }

  private func count(_ weights: [Int]?) -> Double {
    Double(weights?.reduce(0, +) ?? pairs.count)
  }

  private func squares(_ output: Int, _ weights: [Int]?) -> Double {
    var sum = 0.0
    for (index, pair) in pairs.enumerated() {
      let error = pair.truth[output] - pair.predicted[output]
      sum += Double(weights?[index] ?? 1) * error * error
    }
    return sum
  }

  /// The sum of the truths' squared distances from their mean, which is exactly 0 if all are equal.
  private func variation(_ output: Int, _ weights: [Int]?) -> Double {
    // Distances are measured from the first truth, so that equal truths have no rounding error.
    var first: Double?
    var sum = 0.0
    var squares = 0.0
    for (index, pair) in pairs.enumerated() {
      let weight = Double(weights?[index] ?? 1)
      guard weight > 0 else { continue }
      let start = first ?? pair.truth[output]
      first = start
      sum += weight * (pair.truth[output] - start)
    }
    let mean = sum / count(weights)
    for (index, pair) in pairs.enumerated() {
      let distance = pair.truth[output] - (first ?? 0) - mean
      squares += Double(weights?[index] ?? 1) * distance * distance
    }
    return squares
  }
}

extension Collection<Double> {
  /// The mean, or NaN if the collection is empty.
  var mean: Double { reduce(0, +) / Double(count) }

  /// The mean, or nil if the collection is empty.
  var meanIfAny: Double? { isEmpty ? nil : mean }
}
