// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Items sorted by their scores for one class, with equal scores in one group.
///
/// The areas under the ROC curve and the average precision are computed from it. A weight is the
/// number of times that an item counts, as in a resample. All values are those of scikit-learn.
package struct RankedScores: Sendable {
  /// The indices of the items, the highest score first.
  private let order: [Int]
  /// Whether each item is of the class, in that order.
  private let isPositive: [Bool]
  /// Whether each item is the last one with its score, in that order.
  private let endsGroup: [Bool]

  /// Sorts the items.
  ///
  /// - Parameters:
  ///   - scores: The score of each item. Infinities are allowed.
  ///   - isPositive: Whether each item is of the class.
  /// - Throws: ``MetricMathError`` if a score is NaN, or if the numbers of elements differ.
  package init(scores: [Double], isPositive: [Bool]) throws(MetricMathError) {
    try MetricMathError.requireEqual("scores", scores.count, "truths", isPositive.count)
    try MetricMathError.refuseNaN("scores", scores)
    let order = scores.order(descending: true)
    self.order = order
    self.isPositive = order.map { isPositive[$0] }
    endsGroup = order.indices.map {
      $0 + 1 == order.count || scores[order[$0]] != scores[order[$0 + 1]]
    }
  }

  /// The number of items of the class.
  package var positives: Int { isPositive.count(where: \.self) }
  /// The number of other items.
  package var negatives: Int { isPositive.count - positives }

  package struct Measures: Sendable {
    /// The area under the ROC curve, or nil if there are no items of the class or no others.
    ///
    /// It is the probability that an item of the class has a higher score than another item.
    /// Equal scores count half.
    package var area: Double?
    /// The mean of the precisions at all thresholds, weighted by the gain in recall, or nil if
    /// there are no items of the class.
    package var averagePrecision: Double?
  }

  /// Computes both values in a single loop, because resampling spends most of its time here.
  package func measures(weights: [Int]? = nil) -> Measures {
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

  /// The area under the ROC curve up to a false positive rate, standardised after McClish (1989).
  ///
  /// It is 0.5 if scores are random and 1 if they are perfect. This is `roc_auc_score` with
  /// `max_fpr`. The curve is a straight line between two of its points.
  ///
  /// - Parameters:
  ///   - limit: The highest false positive rate: more than 0, and at most 1.
  ///   - weights: The number of times that each item counts; nil for once.
  /// - Returns: The area, or nil if there are no items of the class or no others.
  package func partialArea(upTo limit: Double, weights: [Int]? = nil) -> Double? {
    if limit == 1 { return measures(weights: weights).area }
    let steps = groups(weights)
    let positives = Double(steps.reduce(0) { $0 + $1.positives })
    let negatives = Double(steps.reduce(0) { $0 + $1.negatives })
    guard positives > 0, negatives > 0 else { return nil }
    var (hits, alarms) = (0, 0)
    var (x, y, area) = (0.0, 0.0, 0.0)
    for step in steps {
      hits += step.positives
      alarms += step.negatives
      let next = (x: Double(alarms) / negatives, y: Double(hits) / positives)
      if next.x > limit {
        let end = y + (next.y - y) * ((limit - x) / (next.x - x))
        area += (limit - x) * (y + end) / 2
        break
      }
      area += (next.x - x) * (y + next.y) / 2
      (x, y) = next
    }
    let lowest = limit * limit / 2
    return (1 + (area - lowest) / (limit - lowest)) / 2
  }

  static func check(limit: Double) throws(MetricMathError) {
    guard limit > 0, limit <= 1 else {
      throw MetricMathError(
        "The highest false positive rate must be more than 0 and at most 1, but it is \(limit).")
    }
  }

  /// The variance of the area, after DeLong, DeLong and Clarke-Pearson (1988).
  ///
  /// It is nil if there are fewer than two items of the class, or fewer than two others.
  package func areaVariance() -> Double? {
    let (positives, negatives) = (Double(positives), Double(negatives))
    guard let area = measures().area, positives > 1, negatives > 1 else { return nil }
    var (positivesAbove, negativesAbove) = (0.0, 0.0)
    var (positiveSquares, negativeSquares) = (0.0, 0.0)
    for group in groups(nil) {
      let (p, n) = (Double(group.positives), Double(group.negatives))
      let shareBelow = (negatives - negativesAbove - n / 2) / negatives
      let shareAbove = (positivesAbove + p / 2) / positives
      positiveSquares += p * (shareBelow - area) * (shareBelow - area)
      negativeSquares += n * (shareAbove - area) * (shareAbove - area)
      positivesAbove += p
      negativesAbove += n
    }
    return positiveSquares / (positives - 1) / positives
      + negativeSquares / (negatives - 1) / negatives
  }

  /// The curve's points from (0, 0) to (1, 1), one for each score, or none without items of both
  /// kinds.
  package func curve() -> [(falsePositiveRate: Double, truePositiveRate: Double)] {
    let (positives, negatives) = (Double(positives), Double(negatives))
    guard positives > 0, negatives > 0 else { return [] }
    var (hits, alarms) = (0, 0)
    return [(0, 0)]
      + groups(nil).map { group in
        hits += group.positives
        alarms += group.negatives
        return (Double(alarms) / negatives, Double(hits) / positives)
      }
  }

  /// The numbers of positives and negatives with each score, the highest score first.
  private func groups(_ weights: [Int]?) -> [(positives: Int, negatives: Int)] {
    var result: [(positives: Int, negatives: Int)] = []
    var (positives, negatives) = (0, 0)
    for index in order.indices {
      let weight = weights?[order[index]] ?? 1
      if isPositive[index] { positives += weight } else { negatives += weight }
      guard endsGroup[index] else { continue }
      result.append((positives, negatives))
      (positives, negatives) = (0, 0)
    }
    return result
  }
}
