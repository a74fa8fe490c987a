// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// The results of a model on a dataset.
public struct ModelResult: Sendable, Codable {
  /// The model.
  public var model: ModelRecord
  /// The number of images that were evaluated, including failed ones.
  public var images: Int
  /// The number of images that failed.
  ///
  /// Their rows have the errors.
  public var failed: Int
  /// The number of images that have a label.
  public var labelled: Int
  /// The report of each metric, by the metric's name.
  public var metrics: [String: MetricReport]
  /// The latencies of the images.
  public var latency: LatencyRecord
  /// The number of images per second, over all threads.
  public var throughput: Double
  /// The duration of the whole pass, in seconds.
  public var seconds: Double
  /// The process's peak memory in bytes, or 0 if the system doesn't provide it.
  public var peakMemory: Int
  /// The data that each metric kept for each image, by the metric's name and in the rows' order.
  ///
  /// Only reports about parts have it. It is needed to merge them.
  public var items: [String: [JSONValue]]?
  /// The model's classes, in order.
  ///
  /// Only reports about parts have them, because metrics need them.
  public var labels: [String]?
  /// The pairs of indices of keypoints that are connected, or nil if the model finds none.
  public var skeleton: [[Int]]?

  private enum CodingKeys: String, CodingKey {
    case model, failed, labelled, metrics, latency, throughput, seconds, items, labels, skeleton
    case images = "pictures"
    case peakMemory = "peak_memory_bytes"
  }
}

/// The latencies of each stage in milliseconds, without failed images.
public struct LatencyRecord: Sendable, Codable, Hashable {
  /// Reading the file and decoding the image.
  public var decode: LatencyStatistics
  /// Cropping, resizing and normalizing.
  public var preprocess: LatencyStatistics
  /// Running the model.
  public var inference: LatencyStatistics
  /// Converting the outputs to values.
  public var postprocess: LatencyStatistics
  /// All stages together.
  public var total: LatencyStatistics
}

extension LatencyRecord {
  /// Computes the statistics of all images that didn't fail.
  init(_ evaluations: [EvaluationRecord]) {
    self.init(
      decode: LatencyStatistics(evaluations.map(\.decodeLatency)),
      preprocess: LatencyStatistics(evaluations.map(\.preprocessorLatency)),
      inference: LatencyStatistics(evaluations.map(\.inferenceLatency)),
      postprocess: LatencyStatistics(evaluations.map(\.postprocessLatency)),
      total: LatencyStatistics(evaluations.map(\.total)))
  }
}

extension ModelResult {
  /// Creates the summary row, whose accuracy is `classification_accuracy` or else `top1`.
  func summary(testBundle: String) -> SummaryRow {
    let values = metrics.values.flatMap(\.values)
    let accuracy =
      values.first { $0.name == "classification_accuracy" } ?? values.first { $0.name == "top1" }
    return SummaryRow(
      latency: latency.inference.mean, classificationAccuracy: accuracy?.value ?? nil,
      model: model.id, testBundle: testBundle)
  }
}

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
