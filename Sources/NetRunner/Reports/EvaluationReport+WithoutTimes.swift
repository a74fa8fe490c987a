// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

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
