// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension CalibrationBin {
  /// The number of bins between 0 and 1.
  static let number = 15

  /// Sorts predictions into bins of equal width.
  ///
  /// A bin excludes its lower bound and includes its upper one.
  ///
  /// - Parameter predictions: The confidence of each prediction (0...1), and whether it is correct.
  /// - Returns: All bins, including empty ones.
  static func bins(_ predictions: [(confidence: Double, isRight: Bool)]) -> [CalibrationBin] {
    let edges = (0...number).map { Double($0) / Double(number) }
    var bins = (0..<number).map {
      CalibrationBin(
        lower: edges[$0], upper: edges[$0 + 1], count: 0, confidence: 0, accuracy: 0)
    }
    for prediction in predictions {
      let index = edges.dropFirst().firstIndex { prediction.confidence <= $0 } ?? number
      bins[index - 1].count += 1
      bins[index - 1].confidence += prediction.confidence
      bins[index - 1].accuracy += prediction.isRight ? 1 : 0
    }
    for index in bins.indices where bins[index].count > 0 {
      bins[index].confidence /= Double(bins[index].count)
      bins[index].accuracy /= Double(bins[index].count)
    }
    return bins
  }

  /// The mean difference between confidence and accuracy, weighted by the bins' counts.
  ///
  /// It is nil if there are no predictions.
  static func expectedError(_ bins: [CalibrationBin]) -> Double? {
    let count = bins.reduce(0) { $0 + $1.count }
    guard count > 0 else { return nil }
    return bins.reduce(0) {
      $0 + Double($1.count) / Double(count) * ($1.accuracy - $1.confidence).magnitude
    }
  }
}
