// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// What a model came to on a dataset.
public struct ModelResult: Sendable, Codable {
  /// The model.
  public var model: ModelRecord
  /// How many pictures were evaluated, failed ones among them.
  public var pictures: Int
  /// How many of them failed: their rows have the errors.
  public var failed: Int
  /// How many of them have a label.
  public var labelled: Int
  /// What each metric found, by its name.
  public var metrics: [String: MetricReport]
  /// How long pictures took.
  public var latency: LatencyRecord
  /// Pictures a second, over all threads.
  public var throughput: Double
  /// How long all pictures took together, in seconds.
  public var seconds: Double
  /// The process's largest memory so far, in bytes; 0 where the system does not tell.
  public var peakMemory: Int
  /// What each metric kept of each picture, by its name and in the rows' order: parts have it, so
  /// that they can be put together.
  public var items: [String: [JSONValue]]?
  /// The model's classes, in order, which the metrics need to know: parts have them, too.
  public var labels: [String]?

  /// Makes a result.
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

/// How long pictures took, by stage, in milliseconds; failed pictures are not among them.
public struct LatencyRecord: Sendable, Codable, Hashable {
  /// Reading and decoding.
  public var decode: LatencyStatistics
  /// Cropping, resizing and normalizing.
  public var preprocess: LatencyStatistics
  /// Running the model.
  public var inference: LatencyStatistics
  /// Making values of the outputs.
  public var postprocess: LatencyStatistics
  /// All of it.
  public var total: LatencyStatistics

  /// Makes a record.
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
  /// Of the rows that did not fail.
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
  /// The contract's row for the model.
  ///
  /// The accuracy is that of the test bundle's own metric, or else the first that says how often the
  /// model is right.
  func summary(testBundle: String) -> SummaryRow {
    let values = metrics.values.flatMap(\.values)
    let accuracy =
      values.first { $0.name == "classification_accuracy" } ?? values.first { $0.name == "top1" }
    return SummaryRow(
      latency: latency.inference.mean, classificationAccuracy: accuracy?.value ?? nil,
      model: model.id, testBundle: testBundle)
  }
}
