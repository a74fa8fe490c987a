// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The metrics by name: the built-in ones, and those that a program registers.
///
/// ```swift
/// var registry = MetricRegistry()
/// registry.register("my_metric") { context in MyMetric(labels: context.labels) }
/// let metric = try registry.metric(named: "my_metric", context: MetricContext(labels: labels))
/// ```
///
/// `classification`, `regression`, `segmentation`, `detection`, `keypoints`, `text`, `retrieval`,
/// `panoptic` and `anomaly` compute all values of their kind. A value's own name, such as `macro_f1`,
/// computes only that value. Documentation/Metrics.md explains all values. Old test bundles use the
/// name `EvaluationMetricAccuracyTop5`.
public struct MetricRegistry: Sendable {
  /// Creates a metric for a model.
  public typealias Factory = @Sendable (MetricContext) throws -> any Metric

  /// The built-in metrics.
  public static let standard = MetricRegistry()

  /// The metrics that the program registered.
  ///
  /// Every start makes a registry, so this doesn't begin as a copy of the built-in ones.
  private var registered: [String: Factory] = [:]

  private static let builtIn: [String: Factory] = {
    var factories: [String: Factory] = [:]
    for (name, make) in ClassificationMetric.factories + RegressionMetric.factories
      + SegmentationMetric.factories + DetectionMetric.factories + KeypointMetric.factories
      + TextMetric.factories + RetrievalMetric.factories + PanopticMetric.factories
      + AnomalyMetric.factories
    {
      let earlier = factories.updateValue(make, forKey: name)
      precondition(
        earlier == nil,
        "Two built-in metrics are named '\(name)'. A family needs another name than its values.")
    }
    return factories
  }()

  /// Creates a registry with the built-in metrics.
  public init() {}

  /// The names of all metrics, sorted.
  public var names: [String] { Set(Self.builtIn.keys).union(registered.keys).sorted() }

  /// Registers a metric, and replaces a metric with the same name.
  ///
  /// - Parameters:
  ///   - name: The name in test bundles, command lines and reports.
  ///   - make: Creates the metric for a model.
  public mutating func register(_ name: String, _ make: @escaping Factory) {
    registered[name] = make
  }

  /// Creates a metric.
  ///
  /// - Parameters:
  ///   - name: One of ``names``.
  ///   - context: What the metric needs to know.
  /// - Returns: The metric.
  /// - Throws: `TensorIOError` with the code `.invalidOption` if there is no metric with this name,
  ///   or the metric's own error if it doesn't accept the context.
  public func metric(named name: String, context: MetricContext) throws -> any Metric {
    guard let make = registered[name] ?? Self.builtIn[name] else {
      throw TensorIOError(
        .invalidOption,
        "There is no metric '\(name)'. The known ones are \(names.joined(separator: ", ")).")
    }
    return try make(context)
  }
}

/// A metric that computes all values of its kind, or one of them.
protocol MetricFamily: Metric {
  /// The values, whose raw values are names in the registry.
  associatedtype Value: CaseIterable, RawRepresentable where Value.RawValue == String

  /// The name for all values together, which none of the values has.
  static var familyName: String { get }

  init(name: String, context: MetricContext) throws
}

extension MetricFamily {
  /// The names in the registry, with what creates the metric.
  static var factories: [(String, MetricRegistry.Factory)] {
    ([familyName] + Value.allCases.map(\.rawValue)).map { name in
      (name, { try Self(name: name, context: $0) })
    }
  }

  /// Whether all values are requested.
  var isFamily: Bool { name == Self.familyName }

  var values: [Value] { Value.allCases.filter { isFamily || name == $0.rawValue } }
}
