// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Statistics of latencies, in milliseconds.
///
/// Percentiles are interpolated linearly, which is NumPy's default. A percentile is omitted if less
/// than one measurement would lie beyond it. For example, the 99th percentile needs 100
/// measurements.
public struct LatencyStatistics: Sendable, Codable, Hashable {
  /// The number of measurements.
  public var count: Int
  /// The smallest latency.
  ///
  /// Like the other values, it is nil if there are no measurements.
  public var minimum: Double?
  /// The mean.
  public var mean: Double?
  /// The median.
  public var p50: Double?
  /// The 90th percentile, or nil for fewer than 10 measurements.
  public var p90: Double?
  /// The 95th percentile, or nil for fewer than 20 measurements.
  public var p95: Double?
  /// The 99th percentile, or nil for fewer than 100 measurements.
  public var p99: Double?
  /// The largest latency.
  public var maximum: Double?

  /// Computes statistics of any number of measurements, in any order.
  public init(_ milliseconds: [Double]) {
    let sorted = milliseconds.sorted()
    count = sorted.count
    minimum = sorted.first
    maximum = sorted.last
    mean = sorted.isEmpty ? nil : sorted.reduce(0, +) / Double(sorted.count)
    func percentile(_ percent: Int, atLeast least: Int) -> Double? {
      sorted.count >= least ? Bootstrap.percentile(Double(percent) / 100, of: sorted) : nil
    }
    p50 = percentile(50, atLeast: 1)
    p90 = percentile(90, atLeast: 10)
    p95 = percentile(95, atLeast: 20)
    p99 = percentile(99, atLeast: 100)
  }

  private enum CodingKeys: String, CodingKey {
    case count, mean, p50, p90, p95, p99
    case minimum = "min"
    case maximum = "max"
  }
}
