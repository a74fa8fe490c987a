// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The results of an evaluation, which can be written and read as JSON.
///
/// `summary` and `results` have the format that Net Runner has always exported. The other members
/// are new.
public struct EvaluationReport: Sendable, Codable {
  static let schema = "tensorio.evaluation"
  static let schemaVersion = 1

  /// The kind of document.
  public var schema = Self.schema
  /// The version of the document's format.
  public var schemaVersion = Self.schemaVersion
  /// The program that made the report.
  public var tool: ToolRecord
  /// The start of the evaluation, in UTC and in ISO 8601 format.
  public var created: String
  /// The part of the images that the report covers, or nil for all images.
  public var part: PartRecord?
  /// The settings of the evaluation.
  public var settings: SettingsRecord
  /// The machine that ran the evaluation.
  public var environment: EnvironmentRecord
  /// The dataset of the evaluation.
  public var dataset: DatasetRecord
  /// The results of each model.
  public var models: [ModelResult]
  /// One row for each model, in Net Runner's export format.
  public var summary: [SummaryRow]
  /// One row for each model and image, in the dataset's order and in Net Runner's export format.
  public var results: [ResultRow]

  private enum CodingKeys: String, CodingKey {
    case schema, tool, created, part, settings, environment, dataset, models, summary, results
    case schemaVersion = "schema_version"
  }

  /// A copy of the report in which all models have distinct names.
  func withDistinctModelNames() -> EvaluationReport {
    var report = self
    let models = models.map(\.model)
    for (index, model) in models.enumerated() {
      report.models[index].model.name = model.title(among: models)
    }
    return report
  }
}

extension EvaluationReport {
  /// A copy of the report without the values that depend on the clock or the machine.
  ///
  /// For two runs on the same images, the ``json()`` of the copies is equal in every byte, whatever
  /// the number of threads or the load of the machine. These values are removed: the date, all
  /// latencies (but not their counts), throughput, durations, memory, the environment, the paths of
  /// the dataset and the models, and the number of threads.
  public func withoutTimes() -> EvaluationReport {
    var report = self
    report.created = ""
    report.environment = EnvironmentRecord(
      system: "", architecture: "", cpu: "", cores: 0, libraries: [:])
    report.settings.threads = 0
    report.dataset.path = ""
    report.models = models.map(\.withoutTimes)
    report.summary = summary.map { row in
      var row = row
      row.latency = nil
      return row
    }
    report.results = results.map { row in
      var row = row
      row.evaluation = row.evaluation?.withoutTimes
      return row
    }
    return report
  }
}

extension ModelResult {
  fileprivate var withoutTimes: ModelResult {
    var result = self
    result.model.path = ""
    result.latency = LatencyRecord(
      decode: latency.decode.withoutTimes, preprocess: latency.preprocess.withoutTimes,
      inference: latency.inference.withoutTimes, postprocess: latency.postprocess.withoutTimes,
      total: latency.total.withoutTimes)
    result.throughput = 0
    result.seconds = 0
    result.peakMemory = 0
    return result
  }
}

extension LatencyStatistics {
  fileprivate var withoutTimes: LatencyStatistics {
    var statistics = LatencyStatistics([])
    statistics.count = count
    return statistics
  }
}

extension EvaluationRecord {
  fileprivate var withoutTimes: EvaluationRecord {
    EvaluationRecord(
      decodeLatency: 0, preprocessorLatency: 0, inferenceLatency: 0, postprocessLatency: 0,
      inferenceResults: inferenceResults)
  }
}
