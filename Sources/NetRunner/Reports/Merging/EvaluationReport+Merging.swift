// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

extension EvaluationReport {
  /// Puts the parts of an evaluation together that were made one by one, or on several machines.
  ///
  /// Rows go back to their places, metrics are computed from what they kept of each picture, and
  /// latencies from the rows: apart from what ``withoutTimes()`` leaves out, the report equals in
  /// every byte that of a run on all pictures. Seconds are the sum of the parts' seconds, as if one
  /// had been made after the other, and the throughput follows from them.
  ///
  /// - Parameters:
  ///   - parts: All parts, in any order.
  ///   - accuracy: What the summary gives as a model's accuracy; nil for the metric whose values the
  ///     parts' summaries have.
  ///   - reduce: Makes a metric's report of what it kept of all pictures (``ModelResult/items``), in
  ///     the rows' order: called with the model, the metric's name and the items.
  /// - Returns: The report of the whole.
  /// - Throws: `TensorIOError` with the code `.invalidOption` that names what differs where parts do
  ///   not belong together, or what is missing; and what `reduce` throws.
  public static func merging(
    parts: [EvaluationReport], accuracy: ((ModelResult) throws -> Double?)? = nil,
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
    whole.models = try parts.first.models.indices.map { place in
      try parts.result(at: place, reduce: reduce)
    }
    whole.results = parts.rows
    whole.summary = try parts.first.summary.map { row in
      guard let result = whole.models.first(where: { $0.model.id == row.model }) else {
        throw TensorIOError(
          .invalidOption, "Part 1 has a summary of '\(row.model)', which is not among its models.")
      }
      var row = row
      row.latency = result.latency.inference.mean
      row.classificationAccuracy =
        if let accuracy { try accuracy(result) } else { try parts.accuracy(of: result) }
      return row
    }
    return whole
  }
}

extension EnvironmentRecord {
  /// Where parts were evaluated: each name once, the largest number of cores.
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
  /// Each element where it occurs first.
  fileprivate var withoutRepetitions: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}
