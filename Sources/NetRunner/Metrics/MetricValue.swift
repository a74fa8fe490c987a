// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A value that measures the quality of a model.
public struct MetricValue: Sendable, Hashable, Codable {
  /// The value's name: lowercase words with underscores, such as `top1` or `macro_f1`.
  public var name: String
  /// The value, or nil if it isn't defined.
  ///
  /// A note then says why.
  public var value: Double?
  /// The 95% confidence interval, or nil for values without a standard way to compute it.
  public var interval: Interval?
  /// The number of images that the value is based on, including failed ones that count as wrong.
  ///
  /// For detection, this is the number of objects.
  public var count: Int
  /// Whether a higher value is better.
  public var isHigherBetter: Bool

  /// An interval with a lower and an upper bound.
  public struct Interval: Sendable, Hashable, Codable {
    /// The lower bound.
    public var lower: Double
    /// The upper bound.
    public var upper: Double

    /// Creates an interval.
    public init(lower: Double, upper: Double) {
      self.lower = lower
      self.upper = upper
    }
  }

  /// Creates a value.
  public init(
    _ name: String, _ value: Double?, interval: Interval? = nil, count: Int,
    isHigherBetter: Bool = true
  ) {
    self.name = name
    self.value = value
    self.interval = interval
    self.count = count
    self.isHigherBetter = isHigherBetter
  }

  private enum CodingKeys: String, CodingKey {
    case name, value, interval, count
    case isHigherBetter = "higher_is_better"
  }
}
