// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import MetricMath
import Testing

/// `RegressionMetricTests` compare the measures with scikit-learn and SciPy.
@Suite struct PairedNumbersTests {
  /// Numbers with many equal ones.
  private static func numbers(seed: UInt64, count: Int) -> [Double] {
    var state = seed
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 60) / 4 - 1
    }
  }

  @Test(arguments: PairedNumbers.Measure.allCases, [true, false])
  func `a weight is the number of times that a pair counts`(
    _ measure: PairedNumbers.Measure, keepsOrders: Bool
  ) throws {
    let (truths, predicted) = (Self.numbers(seed: 1, count: 40), Self.numbers(seed: 2, count: 40))
    let weights = Self.numbers(seed: 3, count: 40).map { Int(($0 + 1) * 2) % 3 }
    let weighted = try PairedNumbers(
      truths: truths, predicted: predicted, keepsOrders: keepsOrders)
    let repeated = weights.enumerated().flatMap { Array(repeating: $0, count: $1) }
    let plain = try PairedNumbers(
      truths: repeated.map { truths[$0] }, predicted: repeated.map { predicted[$0] })
    let value = try #require(weighted.value(measure, weights: weights))
    #expect(abs(value - (try #require(plain.value(measure)))) < 1e-12)
  }

  @Test func `equal numbers have no correlation`() throws {
    let numbers = try PairedNumbers(truths: [1, 1, 1], predicted: [1, 2, 3])
    #expect(numbers.value(.pearson) == nil)
    #expect(numbers.value(.spearman) == nil)
    #expect(numbers.value(.mae) == 1)
  }

  @Test func `numbers that aren't finite or aren't paired are errors`() {
    #expect(throws: MetricMathError.self) {
      try PairedNumbers(truths: [1, .nan], predicted: [1, 2])
    }
    let error = #expect(throws: MetricMathError.self) {
      try PairedNumbers(truths: [1], predicted: [1, 2])
    }
    #expect(error?.message.contains("there are 1 and 2") == true)
  }
}
