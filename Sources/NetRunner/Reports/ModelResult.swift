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
  public var pictures: Int
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

  /// Creates a result.
  public init(
    model: ModelRecord, pictures: Int, failed: Int, labelled: Int,
    metrics: [String: MetricReport], latency: LatencyRecord, throughput: Double, seconds: Double,
    peakMemory: Int, items: [String: [JSONValue]]? = nil, labels: [String]? = nil
  ) {
    self.model = model
    self.pictures = pictures
    self.failed = failed
    self.labelled = labelled
    self.metrics = metrics
    self.latency = latency
    self.throughput = throughput
    self.seconds = seconds
    self.peakMemory = peakMemory
    self.items = items
    self.labels = labels
  }

  private enum CodingKeys: String, CodingKey {
    case model, pictures, failed, labelled, metrics, latency, throughput, seconds, items, labels
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

  /// Creates a record.
  public init(
    decode: LatencyStatistics, preprocess: LatencyStatistics, inference: LatencyStatistics,
    postprocess: LatencyStatistics, total: LatencyStatistics
  ) {
    self.decode = decode
    self.preprocess = preprocess
    self.inference = inference
    self.postprocess = postprocess
    self.total = total
  }
}

extension LatencyRecord {
  /// Creates a record from the rows that didn't fail.
  init(_ rows: [ResultRow]) {
    let records = rows.compactMap(\.evaluation)
    self.init(
      decode: LatencyStatistics(records.map(\.decodeLatency)),
      preprocess: LatencyStatistics(records.map(\.preprocessorLatency)),
      inference: LatencyStatistics(records.map(\.inferenceLatency)),
      postprocess: LatencyStatistics(records.map(\.postprocessLatency)),
      total: LatencyStatistics(records.map(\.total)))
  }
}

extension ModelResult {
  /// Creates the model's summary row in Net Runner's export format.
  ///
  /// The accuracy is the value of the test bundle's own metric (`classification_accuracy`), or else
  /// `top1`.
  func summary(testBundle: String) -> SummaryRow {
    let values = metrics.values.flatMap(\.values)
    let accuracy =
      values.first { $0.name == "classification_accuracy" } ?? values.first { $0.name == "top1" }
    return SummaryRow(
      latency: latency.inference.mean, classificationAccuracy: accuracy?.value ?? nil,
      model: model.id, testBundle: testBundle)
  }
}
