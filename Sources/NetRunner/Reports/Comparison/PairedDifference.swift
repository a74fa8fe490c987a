// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// How much more often one model is right than another, on the same pictures.
public struct PairedDifference: Sendable, Hashable, Codable {
  /// The share that the first model is right about.
  public var a: Double
  /// The share that the second model is right about.
  public var b: Double
  /// The second share less the first.
  public var difference: Double
  /// Where the true difference lies with a probability of 95%: Tango's score interval (1998).
  ///
  /// It takes into account that both models saw the same pictures, and holds for few pictures and
  /// for none that the models differ in, where the usual interval would have no width.
  public var interval: MetricValue.Interval

  /// Compares two models.
  ///
  /// - Parameters:
  ///   - bothRight: Pictures that both are right about.
  ///   - onlyA: Pictures that only the first is right about.
  ///   - onlyB: Pictures that only the second is right about.
  ///   - count: All pictures, more than none.
  public init(bothRight: Int, onlyA: Int, onlyB: Int, of count: Int) {
    precondition(
      count > 0 && min(bothRight, onlyA, onlyB) >= 0 && bothRight + onlyA + onlyB <= count,
      "The parts must be parts of \(count) pictures.")
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
  /// Both ends leave out 2.5%.
  private static let quantile = 1.959963984540054

  var gains: Double
  var losses: Double
  var count: Double

  /// The difference that lies farthest in a direction and is not refused.
  func edge(from difference: Double, to end: Double) -> Double {
    var (inside, outside) = (difference, end)
    // Each round halves the distance: there are no more numbers between after that many.
    for _ in 0..<100 {
      let middle = (inside + outside) / 2
      if middle == inside || middle == outside { break }
      if isRefused(middle) { outside = middle } else { inside = middle }
    }
    return inside
  }

  private func isRefused(_ difference: Double) -> Bool {
    // The share of losses that is most likely under this difference.
    let a = 2 * count
    let b = -gains - losses + (2 * count - gains + losses) * difference
    let c = -losses * difference * (1 - difference)
    let share = (max(0, b * b - 4 * a * c).squareRoot() - b) / (2 * a)
    let variance = count * (2 * share + difference * (1 - difference))
    let distance = gains - losses - count * difference
    return distance * distance > Self.quantile * Self.quantile * max(0, variance)
  }
}
