// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Whether two models are right about different numbers of pictures, by McNemar's test.
///
/// Only pictures count that one model is right about and the other is not: if both were equally
/// good, each would fall to either of them like a coin.
public struct McNemarTest: Sendable, Hashable, Codable {
  /// Pictures that only the first model is right about.
  public var onlyA: Int
  /// Pictures that only the second model is right about.
  public var onlyB: Int
  /// How probable so uneven a share is among equally good models: the binomial test, both sides.
  public var exactP: Double
  /// The statistic of the chi-square test with Edwards' continuity correction; nil without
  /// pictures that only one model is right about.
  public var chiSquare: Double?
  /// The probability that belongs to ``chiSquare``; with less than 25 such pictures only
  /// ``exactP`` can be relied on.
  public var chiSquareP: Double?

  /// Tests two numbers of pictures, neither below 0.
  public init(onlyA: Int, onlyB: Int) {
    precondition(onlyA >= 0 && onlyB >= 0, "Numbers of pictures are not negative.")
    self.onlyA = onlyA
    self.onlyB = onlyB
    exactP = Self.binomialP(min(onlyA, onlyB), of: onlyA + onlyB)
    guard onlyA + onlyB > 0 else { return }
    // Without the bound, equal numbers would differ by the correction.
    let distance = max(0, abs(Double(onlyA) - Double(onlyB)) - 1)
    let statistic = distance * distance / Double(onlyA + onlyB)
    chiSquare = statistic
    chiSquareP = erfc((statistic / 2).squareRoot())
  }

  /// Twice the probability of at most `successes` heads among `count` coins, at most 1.
  private static func binomialP(_ successes: Int, of count: Int) -> Double {
    guard 2 * successes < count else { return 1 }
    // The largest term, C(n, k) / 2^n, halved on the way as often as it can be: neither the
    // quotient nor the power would fit a number.
    var term = 1.0
    var halvings = count
    for place in 0..<successes {
      term *= Double(count - place) / Double(place + 1)
      while term > 1, halvings > 0 {
        term *= 0.5
        halvings -= 1
      }
    }
    term = scalbn(term, -Int32(clamping: halvings))
    var sum = 0.0
    var place = successes
    while term > sum * 0x1p-60, place >= 0 {
      sum += term
      term *= Double(place) / Double(count - place + 1)
      place -= 1
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
