// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Metrics by name: the built-in ones, and those that a program adds.
///
/// ```swift
/// var registry = MetricRegistry()
/// registry.register("my_metric") { context in MyMetric(labels: context.labels) }
/// let metric = try registry.metric(named: "my_metric", context: MetricContext(labels: labels))
/// ```
///
/// `classification`, `regression`, `segmentation` and `detection` give all values of their kind;
/// each value's own name, such as `macro_f1`, gives that one alone. Documentation/Metrics.md says
/// what each value means. `EvaluationMetricAccuracyTop5` is the name in test bundles of old.
public struct MetricRegistry: Sendable {
  /// Makes a metric for a model.
  public typealias Factory = @Sendable (MetricContext) throws -> any Metric

  /// The built-in metrics.
  public static let standard = MetricRegistry()

  /// The metrics that a program added.
  private var registered: [String: Factory] = [:]

  private static let builtIn: [String: Factory] = {
    var factories: [String: Factory] = [:]
    for name in ClassificationMetric.names {
      factories[name] = { try ClassificationMetric(name: name, context: $0) }
    }
    for name in RegressionMetric.names {
      factories[name] = { RegressionMetric(name: name, context: $0) }
    }
    for name in SegmentationMetric.names {
      factories[name] = { SegmentationMetric(name: name, context: $0) }
    }
    for name in DetectionMetric.names {
      factories[name] = { DetectionMetric(name: name, context: $0) }
    }
    return factories
  }()

  /// The built-in metrics, to which others can be added.
  public init() {}

  /// The names of all metrics, sorted.
  public var names: [String] { Set(Self.builtIn.keys).union(registered.keys).sorted() }

  /// Adds a metric; it replaces one of the same name.
  ///
  /// - Parameters:
  ///   - name: The name that test bundles, command lines and reports use.
  ///   - make: Makes the metric for a model.
  public mutating func register(_ name: String, _ make: @escaping Factory) {
    registered[name] = make
  }

  /// Makes a metric.
  ///
  /// - Parameters:
  ///   - name: One of ``names``.
  ///   - context: What it needs to know.
  /// - Returns: The metric.
  /// - Throws: `TensorIOError` with the code `.invalidOption` when no metric has that name, or
  ///   whatever the metric does not accept in the context.
  public func metric(named name: String, context: MetricContext) throws -> any Metric {
    guard let make = registered[name] ?? Self.builtIn[name] else {
      throw TensorIOError(
        .invalidOption,
        "There is no metric '\(name)'. The known ones are \(names.joined(separator: ", ")).")
    }
    return try make(context)
  }
}
