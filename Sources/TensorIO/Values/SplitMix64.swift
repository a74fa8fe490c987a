// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls

/// The random number generator SplitMix64 (Steele, Lea and Flood, 2014), which gives the same
/// numbers on every machine.
///
/// The standard library's shuffle is not used, because its algorithm is not documented. It may
/// change with any release, and trainings would no longer be reproducible.
package struct SplitMix64: RandomNumberGenerator {
  /// The state, with which the numbers continue.
  package private(set) var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number below a bound: the high half of the product with 64 random bits.
  package mutating func next(below bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// Returns a number from 0 to less than 1, with 53 random bits.
  package mutating func nextUnit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Returns a number between a bound and its negative.
  package mutating func next(upTo bound: Double) -> Double { (2 * nextUnit() - 1) * bound }

  /// Returns a number from 0 to 1 of the beta distribution whose two parameters are equal.
  package mutating func nextBeta(_ parameter: Double) -> Double {
    let (one, other) = (nextLogGamma(parameter), nextLogGamma(parameter))
    return 1 / (1 + exp(other - one))
  }

  /// Returns the logarithm of a number of the gamma distribution (Marsaglia and Tsang, 2000).
  ///
  /// Numbers of small parameters are too small for a Double.
  private mutating func nextLogGamma(_ shape: Double) -> Double {
    if shape < 1 { return nextLogGamma(shape + 1) + log(1 - nextUnit()) / shape }
    let offset = shape - 1.0 / 3
    while true {
      let normal = sqrt(-2 * log(1 - nextUnit())) * cos(2 * Double.pi * nextUnit())
      let root = 1 + normal / (9 * offset).squareRoot()
      guard root > 0 else { continue }
      let cube = root * root * root
      if log(1 - nextUnit()) < normal * normal / 2 + offset * (1 - cube + log(cube)) {
        return log(offset * cube)
      }
    }
  }

  /// Returns the elements in random order, by a Fisher-Yates shuffle from the last element to the
  /// first.
  package mutating func shuffled(_ elements: [Int]) -> [Int] {
    var elements = elements
    for last in stride(from: elements.count - 1, to: 0, by: -1) {
      elements.swapAt(last, next(below: last + 1))
    }
    return elements
  }
}
