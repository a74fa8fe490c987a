// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// What several measurements come to.
struct Statistics {
  let least: Double
  let median: Double
  let mean: Double
  let percentile95: Double
  let most: Double

  /// Of at least one value.
  init(_ values: [Double]) {
    let sorted = values.sorted()
    func quantile(_ fraction: Double) -> Double {
      sorted[min(Int(fraction * Double(sorted.count)), sorted.count - 1)]
    }
    least = sorted[0]
    median = quantile(0.5)
    mean = sorted.reduce(0, +) / Double(sorted.count)
    percentile95 = quantile(0.95)
    most = sorted[sorted.count - 1]
  }

  var json: JSONValue {
    .object([
      "min": .number(least), "median": .number(median), "mean": .number(mean),
      "p95": .number(percentile95), "max": .number(most),
    ])
  }
}
