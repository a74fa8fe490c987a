// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Measures the quality of a model: evaluates each image, then reduces the results to a report.
///
/// The results of ``evaluate(_:_:)`` can be computed in parts on several machines, and merged in
/// the dataset's order before ``reduce(_:)``. The report is then exactly the same, bit for bit.
public protocol Metric: Sendable {
  /// The data that is kept for an image.
  associatedtype Item: Codable & Sendable

  /// The metric's name in ``MetricRegistry`` and in reports.
  var name: String { get }

  /// Evaluates one image.
  ///
  /// - Parameters:
  ///   - truth: The image's ground truth.
  ///   - prediction: The model's prediction, or nil if the image or the run failed. A metric never
  ///     ignores such images silently. It either counts them as wrong, or excludes them from its
  ///     values' `count`.
  /// - Returns: The data to keep for the image, or nil if the metric doesn't apply to this kind of
  ///   ground truth.
  /// - Throws: `TensorIOError` if the model's outputs don't suit the metric.
  func evaluate(_ truth: GroundTruth, _ prediction: Prediction?) throws -> Item?

  /// Computes a report from the images' data, in the dataset's order.
  func reduce(_ items: [Item]) throws -> MetricReport
}

/// What a metric needs to know apart from the images.
public struct MetricContext: Sendable {
  /// The model's classes, in order.
  ///
  /// Empty if it has none.
  public var labels: [String]
  /// The k of top-k accuracy.
  public var topK = 5
  /// A number that is added to classes that the dataset gives as numbers.
  ///
  /// It is 1 if the model's class 0 is a background that the dataset doesn't count.
  public var labelOffset = 0
  /// The model's label for labels of the dataset that the model doesn't know.
  public var labelMap: [String: String] = [:]
  /// The class of pixels that segmentation metrics ignore.
  public var ignoredClass: Int? = 255
  /// The seed for resampled intervals.
  ///
  /// Equal seeds give equal intervals.
  public var seed: UInt64 = 0
  /// The number of resamples for intervals that have no formula.
  ///
  /// If 0, those intervals are omitted.
  public var resamples = 1000
  /// What the samples are, for notes and errors.
  package var content = Dataset.Content.images
}

extension MetricContext {
  /// Creates a context with the default settings.
  public init(labels: [String]) {
    self.init(labels: labels, topK: 5)
  }
}

/// The results of a metric: values, and data for charts.
public struct MetricReport: Sendable, Codable {
  /// The values, the most important first.
  public var values: [MetricValue]
  /// The number of images for each pair of a true and a predicted class.
  public var confusion: ConfusionMatrix?
  /// A ROC curve for each class, or a single curve if there are two classes.
  public var roc: [ROCCurve]?
  /// How often the model is right, by its confidence.
  public var calibration: [CalibrationBin]?
  /// The values of each class that occurs.
  public var classes: [ClassMetrics]?
  /// Notes for people, for example about classes without images or scores that aren't
  /// probabilities.
  public var notes: [String] = []
}

extension MetricReport {
  /// Creates a report without data for charts.
  public init(values: [MetricValue], notes: [String] = []) {
    self.init(values: values, confusion: nil, notes: notes)
  }
}

/// The number of images for each pair of a true and a predicted class.
///
/// The matrix of a detection model counts objects. Its last class is `background`: the row has the
/// detections without an object, and the column has the objects that weren't found.
public struct ConfusionMatrix: Sendable, Hashable, Codable {
  /// The classes that occur as a truth or a prediction, in the model's order.
  public var labels: [String]
  /// The counts, with a row for each true class and a column for each predicted class.
  public var counts: [[Int]]
  /// The number of images of each true class that failed.
  public var failed: [Int]

  /// Creates a matrix.
  public init(labels: [String], counts: [[Int]], failed: [Int]) {
    self.labels = labels
    self.counts = counts
    self.failed = failed
  }
}

/// A ROC curve: the true positive rate against the false positive rate over all thresholds.
public struct ROCCurve: Sendable, Hashable, Codable {
  /// The class that counts as positive.
  public var label: String
  /// The area under the curve.
  public var area: Double
  /// The points from (0, 0) to (1, 1).
  ///
  /// At most 200 are kept, those that shape the curve most.
  public var points: [Point]

  /// Creates a curve.
  public init(label: String, area: Double, points: [Point]) {
    self.label = label
    self.area = area
    self.points = points
  }

  /// A point of the curve.
  public struct Point: Sendable, Hashable, Codable {
    /// The fraction of negatives that are false positives.
    public var falsePositiveRate: Double
    /// The fraction of positives that are true positives.
    public var truePositiveRate: Double

    /// Creates a point.
    public init(falsePositiveRate: Double, truePositiveRate: Double) {
      self.falsePositiveRate = falsePositiveRate
      self.truePositiveRate = truePositiveRate
    }

    private enum CodingKeys: String, CodingKey {
      case falsePositiveRate = "fpr"
      case truePositiveRate = "tpr"
    }
  }
}

/// Predictions with a similar confidence.
public struct CalibrationBin: Sendable, Hashable, Codable {
  /// The lower bound of the confidence, which is exclusive except for 0.
  public var lower: Double
  /// The upper bound of the confidence, which is inclusive.
  public var upper: Double
  /// The number of predictions.
  public var count: Int
  /// The mean confidence, or 0 for an empty bin.
  public var confidence: Double
  /// The fraction of correct predictions, or 0 for an empty bin.
  public var accuracy: Double

  /// Creates a bin.
  public init(lower: Double, upper: Double, count: Int, confidence: Double, accuracy: Double) {
    self.lower = lower
    self.upper = upper
    self.count = count
    self.confidence = confidence
    self.accuracy = accuracy
  }
}

/// The values of one class.
public struct ClassMetrics: Sendable, Hashable, Codable {
  /// The class.
  public var label: String
  /// The number of images, objects or pixels of the class.
  public var support: Int
  /// The values by name, such as `precision`, `recall`, `f1` or `iou`.
  ///
  /// Undefined values are nil.
  public var values: [String: Double?]
  /// The 95% confidence intervals by the same names, or nil if there are none.
  public var intervals: [String: MetricValue.Interval]?

  /// Creates the values of a class.
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
