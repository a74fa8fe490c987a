// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// True and predicted numbers, and what scikit-learn and SciPy measure of their differences.
///
/// If a model predicts several numbers, each of them is one of these, and ``mean(_:of:weights:)``
/// is scikit-learn's `uniform_average`.
package struct PairedNumbers: Sendable {
  /// A value that is computed from the pairs, whose raw value is its name in reports.
  package enum Measure: String, Sendable, CaseIterable {
    /// The mean absolute error.
    case mae
    /// The root of the mean squared error.
    case rmse
    /// The coefficient of determination.
    case r2
    case medianAbsoluteError = "median_absolute_error"
    case maxError = "max_error"
    /// The mean absolute percentage error, as a share.
    case mape
    case explainedVariance = "explained_variance"
    /// Pearson's correlation.
    case pearson
    /// Spearman's correlation, where equal numbers have their average rank.
    case spearman

    package var isHigherBetter: Bool {
      switch self {
      case .r2, .explainedVariance, .pearson, .spearman: true
      case .mae, .rmse, .medianAbsoluteError, .maxError, .mape: false
      }
    }
  }

  private let truths: [Double]
  private let predicted: [Double]
  private var orders: Orders?

  /// The positions of the pairs, sorted by the truth, by the prediction and by the error.
  private struct Orders: Sendable {
    var truths: [Int]
    var predicted: [Int]
    var errors: [Int]
  }

  /// Pairs numbers.
  ///
  /// - Parameters:
  ///   - truths: The true numbers.
  ///   - predicted: The predicted numbers, in the same order.
  ///   - keepsOrders: Whether the numbers are sorted now. This saves time if a measure that needs
  ///     sorted numbers is computed for many resamples.
  /// - Throws: ``MetricMathError`` if a number isn't finite, or if there aren't as many truths as
  ///   predictions.
  package init(
    truths: [Double], predicted: [Double], keepsOrders: Bool = false
  ) throws(MetricMathError) {
    try MetricMathError.requireEqual("truths", truths.count, "predictions", predicted.count)
    try MetricMathError.requireFinite("truths", truths)
    try MetricMathError.requireFinite("predictions", predicted)
    self.truths = truths
    self.predicted = predicted
    guard keepsOrders else { return }
    orders = Orders(
      truths: truths.order(), predicted: predicted.order(),
      errors: truths.indices.map(error).order()
    )
  }

  /// The number of pairs.
  package var count: Int { truths.count }

  /// Computes the mean of a measure over the numbers that a model predicts, or nil if it isn't
  /// defined for one of them.
  package static func mean(
    _ measure: Measure, of outputs: [PairedNumbers], weights: [Int]? = nil
  ) -> Double? {
    var numbers: [Double] = []
    for output in outputs {
      guard let number = output.value(measure, weights: weights) else { return nil }
      numbers.append(number)
    }
    return numbers.arithmeticMean
  }

  /// Computes a measure.
  ///
  /// - Parameters:
  ///   - measure: What is computed.
  ///   - weights: The number of times that each pair counts, as in a resample; nil for once.
  /// - Returns: The value, or nil if it isn't defined: without pairs, for fewer than two pairs (r2
  ///   and correlations), if all truths or all predictions are equal (correlations), or if the
  ///   result is too large for a number.
  package func value(_ measure: Measure, weights: [Int]? = nil) -> Double? {
    let number: Double? =
      switch measure {
      case .mae: mean(weights, error)
      case .rmse:
        mean(weights) { (truths[$0] - predicted[$0]) * (truths[$0] - predicted[$0]) }?.squareRoot()
      case .mape: mean(weights) { error($0) / max(truths[$0].magnitude, Double.ulpOfOne) }
      case .maxError:
        truths.indices.lazy.filter { (weights?[$0] ?? 1) > 0 }.map(error).max()
      case .medianAbsoluteError: medianError(weights)
      case .r2: truths.count > 1 ? determination(weights) : nil
      case .explainedVariance:
        explained(
          unexplained: variation(weights) { truths[$0] - predicted[$0] }, weights: weights)
      case .pearson: correlation(truths, predicted, weights)
      case .spearman:
        correlation(
          ranks(truths, orders?.truths, weights), ranks(predicted, orders?.predicted, weights),
          weights)
      }
    return number.flatMap { $0.isFinite ? $0 : nil }
  }

  private func error(_ index: Int) -> Double { (truths[index] - predicted[index]).magnitude }

  /// The sum of numbers, or nil if no pair counts.
  private func sum(_ weights: [Int]?, _ number: (Int) -> Double) -> (sum: Double, count: Double)? {
    var sum = 0.0
    var count = 0
    for index in truths.indices {
      let weight = weights?[index] ?? 1
      guard weight > 0 else { continue }
      sum += Double(weight) * number(index)
      count += weight
    }
    return count > 0 ? (sum, Double(count)) : nil
  }

  private func mean(_ weights: [Int]?, _ number: (Int) -> Double) -> Double? {
    sum(weights, number).map { $0.sum / $0.count }
  }

  // MARK: - Variance

  private func determination(_ weights: [Int]?) -> Double? {
    let squares = sum(weights) { index in
      let error = truths[index] - predicted[index]
      return error * error
    }
    return explained(unexplained: squares?.sum, weights: weights)
  }

  /// The share of the truths' variation that is explained.
  ///
  /// If all truths are equal, it is 1 if nothing is unexplained and 0 otherwise, as in
  /// scikit-learn.
  private func explained(unexplained: Double?, weights: [Int]?) -> Double? {
    guard let unexplained, let whole = variation(weights, { truths[$0] }) else { return nil }
    if unexplained == 0 { return 1 }
    return whole == 0 ? 0 : 1 - unexplained / whole
  }

  /// The sum of the squared distances from the mean, which is exactly 0 if all numbers are equal.
  private func variation(_ weights: [Int]?, _ number: (Int) -> Double) -> Double? {
    // Distances are measured from the first number, so that equal numbers have no rounding error.
    guard let first = truths.indices.first(where: { (weights?[$0] ?? 1) > 0 }) else { return nil }
    let start = number(first)
    guard let mean = mean(weights, { number($0) - start }) else { return nil }
    return sum(weights) { index in
      let distance = number(index) - start - mean
      return distance * distance
    }?.sum
  }

  // MARK: - Sorted numbers

  private func medianError(_ weights: [Int]?) -> Double? {
    let count = weights?.reduce(0, +) ?? truths.count
    guard count > 0 else { return nil }
    let order = orders?.errors ?? truths.indices.map(error).order()
    var seen = 0
    var lower: Double?
    for index in order {
      seen += weights?[index] ?? 1
      if lower == nil, seen > (count - 1) / 2 { lower = error(index) }
      if let lower, seen > count / 2 { return (lower + error(index)) / 2 }
    }
    return nil
  }

  /// The rank of each number, which is the average of their ranks for equal numbers.
  private func ranks(_ numbers: [Double], _ order: [Int]?, _ weights: [Int]?) -> [Double] {
    let order = order ?? numbers.order()
    var ranks = [Double](repeating: 0, count: numbers.count)
    var before = 0
    var start = 0
    while start < order.count {
      var end = start
      var count = 0
      while end < order.count, numbers[order[end]] == numbers[order[start]] {
        count += weights?[order[end]] ?? 1
        end += 1
      }
      let rank = Double(before) + Double(count + 1) / 2
      for position in start..<end { ranks[order[position]] = rank }
      before += count
      start = end
    }
    return ranks
  }

  /// Pearson's correlation, or nil if one of the lists has only equal numbers.
  private func correlation(_ left: [Double], _ right: [Double], _ weights: [Int]?) -> Double? {
    guard let left = centred(left, weights), let right = centred(right, weights) else {
      return nil
    }
    var (products, leftSquares, rightSquares) = (0.0, 0.0, 0.0)
    for index in left.indices {
      let weight = Double(weights?[index] ?? 1)
      guard weight > 0 else { continue }
      products += weight * left[index] * right[index]
      leftSquares += weight * left[index] * left[index]
      rightSquares += weight * right[index] * right[index]
    }
    let result = products / (leftSquares.squareRoot() * rightSquares.squareRoot())
    return min(max(result, -1), 1)
  }

  /// The distances from the mean in a unit in which their squares are neither infinite nor 0, or
  /// nil if all numbers that count are equal.
  private func centred(_ numbers: [Double], _ weights: [Int]?) -> [Double]? {
    let counted = numbers.indices.lazy.filter { (weights?[$0] ?? 1) > 0 }
    guard let first = counted.first, counted.contains(where: { numbers[$0] != numbers[first] })
    else { return nil }
    let largest = counted.reduce(0.0) { max($0, numbers[$1].magnitude) }
    guard let mean = mean(weights, { numbers[$0] / largest }) else { return nil }
    return numbers.map { $0 / largest - mean }
  }
}
