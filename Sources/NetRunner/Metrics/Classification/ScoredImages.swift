// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The images sorted by their scores for one class, with equal scores in one group.
///
/// The area under the ROC curve and the average precision are computed from it.
struct ScoredImages {
  /// The indices of the images, the highest score first.
  private let order: [Int]
  /// Whether each image is of the class, in that order.
  private let isPositive: [Bool]
  /// Whether each image is the last one with its score, in that order.
  private let endsGroup: [Bool]

  init(scores: [Double], isPositive: [Bool]) {
    let order = scores.indices.sorted {
      scores[$0] != scores[$1] ? scores[$0] > scores[$1] : $0 < $1
    }
    self.order = order
    self.isPositive = order.map { isPositive[$0] }
    endsGroup = order.indices.map {
      $0 + 1 == order.count || scores[order[$0]] != scores[order[$0 + 1]]
    }
  }

  /// Calls a closure with the numbers of positives and negatives for each score, the highest first.
  private func groups(_ body: (_ positives: Int, _ negatives: Int) -> Void) {
    var positives = 0
    var negatives = 0
    for index in order.indices {
      if isPositive[index] { positives += 1 } else { negatives += 1 }
      if endsGroup[index] {
        body(positives, negatives)
        positives = 0
        negatives = 0
      }
    }
  }

  private var total: (positives: Int, negatives: Int) {
    let positives = isPositive.count(where: \.self)
    return (positives, isPositive.count - positives)
  }

  struct Measures {
    /// The area under the ROC curve, or nil if there are no images of the class or no others.
    ///
    /// It is the probability that an image of the class has a higher score than another image.
    /// Equal scores count half.
    var area: Double?
    /// The mean of the precisions at all thresholds, weighted by the gain in recall, or nil if
    /// there are no images of the class.
    var averagePrecision: Double?
  }

  /// Counts each image as often as its weight says.
  ///
  /// Both values are computed in a single loop, because resampling spends most of its time here.
  func measures(weights: [Int]? = nil) -> Measures {
    var (positives, negatives) = (0, 0)
    var (positivesAbove, negativesAbove) = (0, 0)
    var (wins, precisions) = (0.0, 0.0)
    for index in order.indices {
      let weight = weights?[order[index]] ?? 1
      if isPositive[index] { positives += weight } else { negatives += weight }
      guard endsGroup[index] else { continue }
      wins += Double(negatives) * (Double(positivesAbove) + Double(positives) / 2)
      positivesAbove += positives
      negativesAbove += negatives
      if positives > 0 {
        precisions +=
          Double(positives) * (Double(positivesAbove) / Double(positivesAbove + negativesAbove))
      }
      (positives, negatives) = (0, 0)
    }
    guard positivesAbove > 0 else { return Measures() }
    return Measures(
      area: negativesAbove > 0 ? wins / (Double(positivesAbove) * Double(negativesAbove)) : nil,
      averagePrecision: precisions / Double(positivesAbove))
  }

  /// The area's interval between 0 and 1, after DeLong, DeLong and Clarke-Pearson (1988).
  func areaInterval() -> MetricValue.Interval? {
    let total = total
    guard let area = measures().area, total.positives > 1, total.negatives > 1 else { return nil }
    let positives = Double(total.positives)
    let negatives = Double(total.negatives)
    var positivesAbove = 0.0
    var negativesAbove = 0.0
    var positiveSquares = 0.0
    var negativeSquares = 0.0
    groups { positive, negative in
      let p = Double(positive)
      let n = Double(negative)
      let shareBelow = (negatives - negativesAbove - n / 2) / negatives
      let shareAbove = (positivesAbove + p / 2) / positives
      positiveSquares += p * (shareBelow - area) * (shareBelow - area)
      negativeSquares += n * (shareAbove - area) * (shareAbove - area)
      positivesAbove += p
      negativesAbove += n
    }
    let variance =
      positiveSquares / (positives - 1) / positives + negativeSquares / (negatives - 1) / negatives
    return MetricValue.Interval.normal(mean: area, variance: variance).map {
      MetricValue.Interval(lower: max($0.lower, 0), upper: min($0.upper, 1))
    }
  }

  /// The points from (0, 0) to (1, 1), one for each score, or none without images of both kinds.
  func curve() -> [ROCCurve.Point] {
    let total = total
    guard total.positives > 0, total.negatives > 0 else { return [] }
    var points = [ROCCurve.Point(falsePositiveRate: 0, truePositiveRate: 0)]
    var hits = 0
    var alarms = 0
    groups { positives, negatives in
      hits += positives
      alarms += negatives
      points.append(
        ROCCurve.Point(
          falsePositiveRate: Double(alarms) / Double(total.negatives),
          truePositiveRate: Double(hits) / Double(total.positives)))
    }
    return points
  }
}
