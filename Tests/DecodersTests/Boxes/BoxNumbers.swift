// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders

/// Pseudo-random numbers that are the same on every machine.
struct BoxNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: Int) { state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let mixed = (state ^ (state >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    return mixed ^ (mixed >> 29)
  }

  /// A number from 0 to 1.
  mutating func unit() -> Float { Float(next() >> 40) * 0x1p-24 }

  mutating func number(_ range: ClosedRange<Float>) -> Float {
    range.lowerBound + unit() * (range.upperBound - range.lowerBound)
  }

  mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int(next() % UInt64(values.count))]
  }

  /// Replaces a few values with those that a broken model returns.
  mutating func spoil(_ values: inout [Float], count: Int) {
    let broken: [Float] = [.nan, .infinity, -.infinity]
    for _ in 0..<count where !values.isEmpty {
      values[Int(next() % UInt64(values.count))] = pick(broken)
    }
  }

  /// A selection with random limits.
  mutating func selection(_ modes: [BoxSelection.Suppression]) -> BoxSelection {
    BoxSelection(
      threshold: number(0.1...0.6), iou: number(0.2...0.8), suppression: pick(modes),
      top: pick([3, 10, 100]), candidates: pick([5, 20, 30_000]))
  }
}

extension [Float] {
  /// The values of a matrix with rows and columns exchanged.
  func transposed(columns: Int) -> [Float] {
    (0..<columns).flatMap { column in
      stride(from: column, to: count, by: columns).map { self[$0] }
    }
  }
}
