// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Measures how good a model is: looks at one picture after the other, then says what they come to.
///
/// What ``evaluate(_:_:)`` returns for the pictures can be computed in parts, on several machines,
/// and be put together in the dataset's order before ``reduce(_:)``: the result is the same in every
/// bit.
public protocol Metric: Sendable {
  /// What is kept of one picture.
  associatedtype Item: Codable & Sendable

  /// The name that ``MetricRegistry`` and reports know it by.
  var name: String { get }

  /// Looks at one picture.
  ///
  /// - Parameters:
  ///   - truth: What is known about the picture.
  ///   - prediction: What the model said; nil where the picture or the run failed. Such pictures
  ///     are never left out silently: a metric counts them as wrong, or says in its values' `count`
  ///     that it could not use them.
  /// - Returns: What is kept of it; nil where the metric does not apply to such truths at all.
  /// - Throws: `TensorIOError` where the model's outputs do not suit the metric.
  func evaluate(_ truth: GroundTruth, _ prediction: Prediction?) throws -> Item?

  /// Says what the pictures come to, in the dataset's order.
  func reduce(_ items: [Item]) throws -> MetricReport
}

/// What a metric needs to know beside the pictures.
public struct MetricContext: Sendable {
  /// The model's classes, in order; empty where it has none.
  public var labels: [String]
  /// The k of top-k accuracy.
  public var topK = 5
  /// What is added to classes that a dataset gives as numbers: 1 where a model's class 0 is a
  /// background that the dataset does not count.
  public var labelOffset = 0
  /// The class of pixels that segmentation does not judge.
  public var ignoredClass: Int? = 255
  /// Where resampled intervals begin; equal seeds give equal intervals.
  public var seed: UInt64 = 0
  /// How often pictures are resampled for intervals that have no formula; 0 leaves those out.
  public var resamples = 1000

  /// Makes a context.
  public init(labels: [String]) {
    self.labels = labels
  }
}

/// What a metric found: numbers, and what charts are drawn from.
public struct MetricReport: Sendable, Codable {
  /// The numbers, the most important first.
  public var values: [MetricValue]
  /// How often each class was taken for each other.
  public var confusion: ConfusionMatrix?
  /// A curve for each class, or one where there are two.
  public var roc: [ROCCurve]?
  /// How often the model is right when it is so sure.
  public var calibration: [CalibrationBin]?
  /// The numbers of each class that occurs.
  public var classes: [ClassMetrics]?
  /// What a person should know: classes without pictures, scores that are no probabilities.
  public var notes: [String]

  /// Makes a report.
  public init(
    values: [MetricValue], confusion: ConfusionMatrix? = nil, roc: [ROCCurve]? = nil,
    calibration: [CalibrationBin]? = nil, classes: [ClassMetrics]? = nil, notes: [String] = []
  ) {
    self.values = values
    self.confusion = confusion
    self.roc = roc
    self.calibration = calibration
    self.classes = classes
    self.notes = notes
  }
}

/// A number that says how good a model is.
public struct MetricValue: Sendable, Hashable, Codable {
  /// Its name: lower-case words with underscores, such as `top1` or `macro_f1`.
  public var name: String
  /// The number; nil where it is not defined, and then a note says why.
  public var value: Double?
  /// Where the true value lies with a probability of 95%; nil without a standard way.
  public var interval: Interval?
  /// How many pictures (for detection: objects) it comes from, failed ones that count as wrong
  /// among them.
  public var count: Int
  /// Whether more is better.
  public var isHigherBetter: Bool

  /// A lower and an upper end.
  public struct Interval: Sendable, Hashable, Codable {
    /// The lower end.
    public var lower: Double
    /// The upper end.
    public var upper: Double

    /// Makes an interval.
    public init(lower: Double, upper: Double) {
      self.lower = lower
      self.upper = upper
    }
  }

  /// Makes a value.
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

/// How often each class was taken for each other.
public struct ConfusionMatrix: Sendable, Hashable, Codable {
  /// The classes, those that occur as a truth or a prediction, in the model's order.
  public var labels: [String]
  /// A row for each true class, a column for each predicted one.
  public var counts: [[Int]]
  /// For each true class, the pictures that failed.
  public var failed: [Int]

  /// Makes a matrix.
  public init(labels: [String], counts: [[Int]], failed: [Int]) {
    self.labels = labels
    self.counts = counts
    self.failed = failed
  }
}

/// The share of true positives against that of false positives, over all thresholds.
public struct ROCCurve: Sendable, Hashable, Codable {
  /// The class that counts as positive.
  public var label: String
  /// The area under the curve.
  public var area: Double
  /// The points, from (0, 0) to (1, 1); at most 200, those that bend the curve most.
  public var points: [Point]

  /// A point of the curve.
  public struct Point: Sendable, Hashable, Codable {
    /// False positives among the negatives.
    public var falsePositiveRate: Double
    /// True positives among the positives.
    public var truePositiveRate: Double

    /// Makes a point.
    public init(falsePositiveRate: Double, truePositiveRate: Double) {
      self.falsePositiveRate = falsePositiveRate
      self.truePositiveRate = truePositiveRate
    }

    private enum CodingKeys: String, CodingKey {
      case falsePositiveRate = "fpr"
      case truePositiveRate = "tpr"
    }
  }

  /// Makes a curve.
  public init(label: String, area: Double, points: [Point]) {
    self.label = label
    self.area = area
    self.points = points
  }
}

/// Predictions that the model is about equally sure of.
public struct CalibrationBin: Sendable, Hashable, Codable {
  /// The least confidence, not part of the bin but for 0.
  public var lower: Double
  /// The highest confidence, part of the bin.
  public var upper: Double
  /// How many predictions.
  public var count: Int
  /// The mean confidence; 0 for an empty bin.
  public var confidence: Double
  /// The share that is right; 0 for an empty bin.
  public var accuracy: Double

  /// Makes a bin.
  public init(lower: Double, upper: Double, count: Int, confidence: Double, accuracy: Double) {
    self.lower = lower
    self.upper = upper
    self.count = count
    self.confidence = confidence
    self.accuracy = accuracy
  }
}

/// The numbers of one class.
public struct ClassMetrics: Sendable, Hashable, Codable {
  /// The class.
  public var label: String
  /// How many pictures (objects, pixels) are of that class.
  public var support: Int
  /// Numbers by name, such as `precision`, `recall`, `f1`, `iou`; nil where one is not defined.
  public var values: [String: Double?]
  /// Where the true numbers lie with a probability of 95%, by the same names; nil without any.
  public var intervals: [String: MetricValue.Interval]?

  /// Makes the numbers of a class.
  public init(
    label: String, support: Int, values: [String: Double?],
    intervals: [String: MetricValue.Interval]? = nil
  ) {
    self.label = label
    self.support = support
    self.values = values
    self.intervals = intervals
  }
}
