// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The errors of predictions for each output.
struct RegressionErrors {
  private let pairs: [(truth: [Double], predicted: [Double])]
  private let outputs: Int

  /// Creates errors from at least one pair.
  ///
  /// All pairs have the same number of finite values.
  init(_ pairs: [(truth: [Double], predicted: [Double])], outputs: Int) {
    self.pairs = pairs
    self.outputs = outputs
  }

  /// The mean absolute error of each image.
  var perPicture: [Double] {
    pairs.map { pair in zip(pair.truth, pair.predicted).map { abs($0 - $1) }.mean }
  }

  /// The mean absolute error of each output.
  func mae() -> [Double] {
    (0..<outputs).map { output in
      pairs.map { abs($0.truth[output] - $0.predicted[output]) }.mean
    }
  }

  /// The root mean squared error of each output.
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

  /// The values of each output.
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

  /// The sum of the truths' squared distances from their mean.
  ///
  /// It is exactly 0 if they are all equal.
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
}
