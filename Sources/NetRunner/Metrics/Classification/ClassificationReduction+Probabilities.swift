// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import TensorIO

extension ClassificationReduction {
  /// Adds the logarithmic loss and the expected calibration error.
  mutating func addProbabilities() {
    guard wants(.logLoss) || wants(.ece) else { return }
    let answered = items.filter { $0.predicted != nil }
    let improper = answered.count { $0.confidence == nil }
    guard improper == 0 else {
      report.notes.append(
        "log_loss and ece are not defined: the scores of \(improper) of \(content.counted(answered.count)) "
          + "are not probabilities, which are 0 or more and add up to 1 "
          + "± \(ClassificationItem.sumTolerance).")
      if wants(.logLoss) { add(.logLoss, nil, interval: nil, count: 0) }
      if wants(.ece) { add(.ece, nil, interval: nil, count: 0) }
      return
    }
    if wants(.logLoss) { addLogLoss() }
    if wants(.ece) { addCalibration() }
  }

  private mutating func addLogLoss() {
    let epsilon = Double.ulpOfOne
    let losses = items.compactMap(\.probability).map {
      -log(min(max($0, epsilon), 1 - epsilon))
    }
    noteCount(.logLoss, losses.count, of: "a known label and a prediction")
    // A loss is never negative.
    let interval = MetricValue.Interval.normal(meanOf: losses).map {
      MetricValue.Interval(lower: max($0.lower, 0), upper: $0.upper)
    }
    add(.logLoss, losses.meanIfAny, interval: interval, count: losses.count)
  }

  private mutating func addCalibration() {
    let predictions = items.compactMap { item in
      item.confidence.map { (confidence: $0, isRight: item.rank == 1) }
    }
    let bins = CalibrationBin.bins(predictions)
    noteCount(.ece, predictions.count, of: "a prediction")
    add(.ece, CalibrationBin.expectedError(bins), interval: nil, count: predictions.count)
    if !predictions.isEmpty { report.calibration = bins }
  }

  /// Adds a note if a value isn't based on all images.
  mutating func noteCount(_ value: Value, _ count: Int, of what: String) {
    guard count < items.count else { return }
    let name = value.rawValue
    report.notes.append(
      count == 0
        ? "\(name) is not defined: no \(content.noun) has \(what)."
        : "\(name) comes from the \(count) of \(items.count) \(content.plural) that have \(what).")
  }
}

extension CalibrationBin {
  /// The number of bins between 0 and 1.
  static let number = 15

  /// Sorts predictions into bins of equal width, which exclude the lower and include the upper
  /// bound.
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

  /// The mean difference of confidence and accuracy, weighted by the bins' counts, or nil without
  /// predictions.
  static func expectedError(_ bins: [CalibrationBin]) -> Double? {
    let count = bins.reduce(0) { $0 + $1.count }
    guard count > 0 else { return nil }
    return bins.reduce(0) {
      $0 + Double($1.count) / Double(count) * ($1.accuracy - $1.confidence).magnitude
    }
  }
}
