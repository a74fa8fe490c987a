// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

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
