// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

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
