// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIOImageCodecs

/// Options for evaluating models.
public struct EvaluationOptions: Sendable {
  /// How often each image is run.
  ///
  /// The latencies are means.
  public var iterations = 1
  /// The number of unmeasured runs per thread before the evaluation.
  public var warmup = 1
  /// The number of images that are processed at the same time, each with its own session.
  public var threads = 1
  /// The names of the metrics.
  ///
  /// If empty, the dataset's metric and those that suit its labels are used.
  public var metrics: [String] = []
  /// The k of top-k accuracy.
  public var topK = 5
  /// A number that is added to classes that the dataset gives as numbers.
  public var labelOffset = 0
  /// The model's label for labels of the dataset that the model doesn't know.
  ///
  /// A label is replaced before it is matched with the model's classes. The new one can be a class's
  /// name, another of its names, or a number to which ``labelOffset`` is added.
  public var labelMap: [String: String] = [:]
  /// The class of pixels that segmentation metrics ignore.
  ///
  /// If nil, all pixels count.
  public var ignoredClass: Int? = 255
  /// The seed for resampled intervals, and for selecting images if their number is limited.
  public var seed: UInt64 = 0
  /// Which outputs are kept in rows.
  ///
  /// If nil, all for test bundles and the top five values otherwise.
  public var kept: KeptOutputs?
  /// The metrics that can be requested by name.
  public var registry = MetricRegistry.standard
  /// Decodes the images.
  public var decoder = ImageDecoder()
  /// What may run the models in place of the CPU, or nil.
  ///
  /// Its values may differ slightly, so a bulk run with another choice isn't continued.
  package var accelerator: String?
  /// Fetches images that have a URL.
  ///
  /// If nil, those images become rows with an error.
  public var fetch: Evaluator.Fetch?
  /// Reads archives and lists objects for bulk runs.
  ///
  /// If nil, addresses of archives and prefixes of addresses become rows with an error.
  package var objects: ObjectAccess?
  /// Whether all rows of ``EvaluationRun/Progress`` have pictures and shapes, not only the first.
  ///
  /// Only the first rows of the report have them in either case.
  package var drawsAllRows = false
  /// Returns the name under which the rows' errors show a path.
  package var shownPath: @Sendable (_ path: String) -> String = { $0 }

  /// Creates the default options.
  public init() {}
}

extension EvaluationOptions {
  /// The requested metrics, or the dataset's own metric and the families that suit its labels.
  func metricNames(for dataset: Dataset) -> [String] {
    guard metrics.isEmpty else { return metrics }
    var names = dataset.metric.map { [$0] } ?? []
    for truth in dataset.samples.lazy.compactMap(\.truth) {
      guard let family = truth.metricFamily, !names.contains(family) else { continue }
      names.append(family)
    }
    // Images without people are part of a dataset of poses.
    return names.contains("keypoints") ? names.filter { $0 != "detection" } : names
  }
}

extension GroundTruth {
  fileprivate var metricFamily: String? {
    switch self {
    case .label: "classification"
    case .values: "regression"
    case .anomaly: "anomaly"
    case .boxes(let boxes): boxes.contains { $0.keypoints != nil } ? "keypoints" : "detection"
    case .classMap: "segmentation"
    case .segments: "panoptic"
    case .results: nil
    }
  }
}
