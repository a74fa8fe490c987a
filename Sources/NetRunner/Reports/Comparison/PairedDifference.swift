// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The difference between the accuracies of two models on the same images.
public struct PairedDifference: Sendable, Hashable, Codable {
  /// The fraction of images that the first model is right about.
  public var a: Double
  /// The fraction of images that the second model is right about.
  public var b: Double
  /// The second fraction minus the first.
  public var difference: Double
  /// The 95% confidence interval of the difference: Tango's score interval (1998).
  ///
  /// It takes into account that both models saw the same images. It is also valid for few images,
  /// and if the models never differ. The usual interval would have no width then.
  public var interval: MetricValue.Interval

  init(bothRight: Int, onlyA: Int, onlyB: Int, of count: Int) {
    precondition(
      count > 0 && min(bothRight, onlyA, onlyB) >= 0 && bothRight + onlyA + onlyB <= count,
      "The numbers must be parts of \(count) images.")
    let n = Double(count)
    a = Double(bothRight + onlyA) / n
    b = Double(bothRight + onlyB) / n
    difference = (Double(onlyB) - Double(onlyA)) / n
    let test = TangoTest(gains: Double(onlyB), losses: Double(onlyA), count: n)
    interval = MetricValue.Interval(
      lower: test.edge(from: difference, to: -1), upper: test.edge(from: difference, to: 1))
  }
}

/// The score test of a paired difference.
private struct TangoTest {
  var gains: Double
  var losses: Double
  var count: Double

  /// The farthest difference in one direction that the test doesn't reject.
  func edge(from difference: Double, to end: Double) -> Double {
    var (inside, outside) = (difference, end)
    // Each round halves the distance. After 100 rounds, no numbers are left in between.
    for _ in 0..<100 {
      let middle = (inside + outside) / 2
      if middle == inside || middle == outside { break }
      if isRefused(middle) { outside = middle } else { inside = middle }
    }
    return inside
  }

  private func isRefused(_ difference: Double) -> Bool {
    // The most likely fraction of losses for this difference.
    let a = 2 * count
    let b = -gains - losses + (2 * count - gains + losses) * difference
    let c = -losses * difference * (1 - difference)
    let share = (max(0, b * b - 4 * a * c).squareRoot() - b) / (2 * a)
    let variance = count * (2 * share + difference * (1 - difference))
    let distance = gains - losses - count * difference
    let quantile = MetricValue.Interval.z
    return distance * distance > quantile * quantile * max(0, variance)
  }
}
