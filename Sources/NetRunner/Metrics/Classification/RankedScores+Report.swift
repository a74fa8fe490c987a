// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import MetricMath

extension RankedScores {
  /// The area's interval between 0 and 1, after DeLong, DeLong and Clarke-Pearson (1988).
  func areaInterval() -> MetricValue.Interval? {
    guard let area = measures().area, let variance = areaVariance() else { return nil }
    return MetricValue.Interval.normal(mean: area, variance: variance).map {
      MetricValue.Interval(lower: max($0.lower, 0), upper: min($0.upper, 1))
    }
  }

  /// The curve's points in a report.
  func points() -> [ROCCurve.Point] {
    curve().map {
      ROCCurve.Point(
        falsePositiveRate: $0.falsePositiveRate, truePositiveRate: $0.truePositiveRate)
    }
  }
}
