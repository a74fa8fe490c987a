// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension EvaluationReport {
  /// Merges the parts of an evaluation, with the same metrics as the parts.
  ///
  /// - Parameters:
  ///   - parts: All parts, in any order.
  ///   - registry: The metrics by name.
  /// - Returns: The report of a run on all images, except for the times.
  /// - Throws: `TensorIOError` that says which parts don't belong together, or what is missing.
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
}
