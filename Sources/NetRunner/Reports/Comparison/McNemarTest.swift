// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls

/// McNemar's test, which checks whether two models are right about different numbers of images.
///
/// Only images count that exactly one model is right about. If both models were equally good, which
/// of the two is right would be like tossing a coin.
public struct McNemarTest: Sendable, Hashable, Codable {
  /// The number of images that only the first model is right about.
  public var onlyA: Int
  /// The number of images that only the second model is right about.
  public var onlyB: Int
  /// The p-value of the exact two-sided binomial test.
  ///
  /// It is the probability that equally good models differ at least as much.
  public var exactP: Double
  /// The statistic of the chi-square test with Edwards' continuity correction.
  ///
  /// It is nil if there are no images that only one model is right about.
  public var chiSquare: Double?
  /// The p-value of ``chiSquare``.
  ///
  /// For fewer than 25 such images, only ``exactP`` is reliable.
  public var chiSquareP: Double?

  init(onlyA: Int, onlyB: Int) {
    precondition(onlyA >= 0 && onlyB >= 0, "The numbers of images must not be negative.")
    self.onlyA = onlyA
    self.onlyB = onlyB
    exactP = Self.binomialP(min(onlyA, onlyB), of: onlyA + onlyB)
    guard onlyA + onlyB > 0 else { return }
    // The maximum with 0 keeps the correction from making equal numbers differ.
    let distance = max(0, abs(Double(onlyA) - Double(onlyB)) - 1)
    let statistic = distance * distance / Double(onlyA + onlyB)
    chiSquare = statistic
    chiSquareP = erfc((statistic / 2).squareRoot())
  }

  /// Twice the probability of at most `successes` heads in `count` coin tosses, but at most 1.
  private static func binomialP(_ successes: Int, of count: Int) -> Double {
    guard 2 * successes < count else { return 1 }
    // The largest term is C(n, k) / 2^n. Neither of the two numbers fits into a Double, so the term
    // is halved as it is computed.
    var term = 1.0
    var halvings = count
    for index in 0..<successes {
      term *= Double(count - index) / Double(index + 1)
      while term > 1, halvings > 0 {
        term *= 0.5
        halvings -= 1
      }
    }
    term = scalbn(term, -Int32(clamping: halvings))
    var sum = 0.0
    var index = successes
    while term > sum * 0x1p-60, index >= 0 {
      sum += term
      term *= Double(index) / Double(count - index + 1)
      index -= 1
    }
    return min(1, 2 * sum)
  }

  private enum CodingKeys: String, CodingKey {
    case onlyA = "only_a"
    case onlyB = "only_b"
    case exactP = "exact_p"
    case chiSquare = "chi_square"
    case chiSquareP = "chi_square_p"
  }
}
