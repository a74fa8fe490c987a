// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

@testable import NetRunner

/// Runs scikit-learn, SciPy and pycocotools with Tools/peers/metrics.py.
enum MetricPeer {
  static let isThere = Python.path != nil
  static let reason: Comment =
    "TENSORIO_PYTHON isn't set; the test needs scikit-learn and pycocotools."

  /// Numbers by name for each case.
  static func answers(_ cases: [some Encodable]) async throws -> [[String: Double?]] {
    let output = try await Python.run(
      ["Tools/peers/metrics.py"], input: JSONEncoder().encode(cases))
    return try JSONDecoder().decode([[String: Double?]].self, from: Data(output.utf8))
  }
}

/// Whether two numbers are equal within 1e-6; two undefined numbers are equal.
func isClose(_ left: Double?, _ right: Double?) -> Bool {
  guard let left, let right else { return left == nil && right == nil }
  return abs(left - right) <= 1e-6
}

/// Pseudo-random numbers that are the same on every machine.
struct TestNumbers: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    var mixed = state
    mixed = (mixed ^ (mixed >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    return mixed ^ (mixed >> 29)
  }

  /// A number from 0 to 1.
  mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
