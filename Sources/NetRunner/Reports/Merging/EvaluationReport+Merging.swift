// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

extension EvaluationReport {
  /// Merges the parts of an evaluation that were run one after the other, or on several machines.
  ///
  /// Rows are put back in order, metrics are computed from the data they kept for each image, and
  /// latencies are computed from the rows. Apart from what ``withoutTimes()`` removes, the result
  /// is byte-for-byte the report of a run on all images. The duration is the sum of the parts'
  /// durations, as if they had been run one after the other. The throughput is computed from it.
  ///
  /// - Parameters:
  ///   - parts: All parts, in any order.
  ///   - registry: The metrics by name.
  /// - Returns: The report of the whole evaluation.
  /// - Throws: `TensorIOError` with the code `.invalidOption` that says which parts don't belong
  ///   together, or what is missing.
  public static func merging(
    parts: [EvaluationReport], registry: MetricRegistry = .standard
  ) throws -> EvaluationReport {
    let labels = Dictionary(
      (parts.first?.models ?? []).map { ($0.model.id, $0.labels ?? []) }, uniquingKeysWith: { $1 })
    let settings = parts.first?.settings
    return try merging(
      parts: parts,
      accuracy: { $0.summary(testBundle: "").classificationAccuracy },
      reduce: { model, name, items in
        var context = MetricContext(labels: labels[model.id] ?? [])
        context.topK = settings?.topK ?? context.topK
        context.labelOffset = settings?.labelOffset ?? 0
        context.ignoredClass = settings?.ignoredClass
        context.seed = settings?.seed ?? 0
        var accumulator = MetricAccumulator(try registry.metric(named: name, context: context))
        try accumulator.merge(items, at: items.indices)
        return try accumulator.report()
      })
  }

  /// Merges parts with metrics that the caller computes.
  ///
  /// `reduce` computes a metric's report from its data for all images (``ModelResult/items``), in
  /// the rows' order. `accuracy` returns a model's accuracy for the summary.
  static func merging(
    parts: [EvaluationReport], accuracy: (ModelResult) -> Double?,
    reduce: (
      _ model: ModelRecord, _ metric: String, _ items: [JSONValue]
    ) throws -> MetricReport
  ) throws -> EvaluationReport {
    let parts = try PartSet(parts)
    var whole = parts.first
    whole.part = nil
    whole.created = parts.all.map(\.created).min() ?? whole.created
    whole.environment = EnvironmentRecord(merging: parts.all.map(\.environment))
    whole.dataset.notes = parts.all.flatMap(\.dataset.notes).withoutRepetitions
    whole.models = try parts.first.models.indices.map { index in
      try parts.result(at: index, reduce: reduce)
    }
    whole.results = parts.rows
    whole.summary = try parts.first.summary.map { row in
      guard let result = whole.models.first(where: { $0.model.id == row.model }) else {
        throw TensorIOError(
          .invalidOption, "Part 1 has a summary of '\(row.model)', which is not among its models.")
      }
      var row = row
      row.latency = result.latency.inference.mean
      row.classificationAccuracy = accuracy(result)
      return row
    }
    return whole
  }
}

extension EnvironmentRecord {
  /// Merges the environments of all parts: distinct names, and the largest number of cores.
  fileprivate init(merging all: [EnvironmentRecord]) {
    func names(_ key: KeyPath<EnvironmentRecord, String>) -> String {
      all.map { $0[keyPath: key] }.withoutRepetitions.joined(separator: " / ")
    }
    self.init(
      system: names(\.system), architecture: names(\.architecture), cpu: names(\.cpu),
      cores: all.map(\.cores).max() ?? 0, libraries: all.first?.libraries ?? [:])
  }
}

extension [String] {
  /// The distinct elements, in the order in which they first occur.
  fileprivate var withoutRepetitions: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}
