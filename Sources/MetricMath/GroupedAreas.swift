// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The areas under the ROC curves of groups of items, such as the clips of each machine.
///
/// DCASE and MLPerf Tiny rank detectors of anomalies by the means over machines, because a threshold
/// holds for only one of them. Scores of different groups are never compared.
package struct GroupedAreas: Sendable {
  /// The areas of a group, which are nil if it has only normal items or only anomalies.
  package struct Group: Sendable {
    package var name: String
    package var anomalies: Int
    package var others: Int
    package var area: Double?
    package var partialArea: Double?
  }

  private let limit: Double
  private let parts: [(name: String, items: [Int], scores: RankedScores)]

  /// Sorts the items of each group.
  ///
  /// - Parameters:
  ///   - scores: The score of each item, which is higher for anomalies.
  ///   - isAnomaly: Whether each item is an anomaly.
  ///   - groups: The name of each item's group.
  ///   - limit: The highest false positive rate of partial areas. DCASE uses 0.1.
  /// - Throws: ``MetricMathError`` if a score is NaN, if the numbers of elements differ, or if the
  ///   limit isn't more than 0 and at most 1.
  package init(
    scores: [Double], isAnomaly: [Bool], groups: [String], limit: Double = 0.1
  ) throws(MetricMathError) {
    try MetricMathError.requireEqual("scores", scores.count, "truths", isAnomaly.count)
    try MetricMathError.requireEqual("scores", scores.count, "groups", groups.count)
    try RankedScores.check(limit: limit)
    self.limit = limit
    var items: [String: [Int]] = [:]
    for (index, name) in groups.enumerated() { items[name, default: []].append(index) }
    var parts: [(name: String, items: [Int], scores: RankedScores)] = []
    for name in items.keys.sorted() {
      let own = items[name, default: []]
      let ranked = try RankedScores(
        scores: own.map { scores[$0] }, isPositive: own.map { isAnomaly[$0] })
      parts.append((name, own, ranked))
    }
    self.parts = parts
  }

  /// Computes the areas of the groups, sorted by their names.
  ///
  /// - Parameter weights: The number of times that each item counts; nil for once.
  /// - Returns: The groups.
  package func groups(weights: [Int]? = nil) -> [Group] {
    parts.map { part in
      let own = weights.map { weights in part.items.map { weights[$0] } }
      return Group(
        name: part.name, anomalies: part.scores.positives, others: part.scores.negatives,
        area: part.scores.measures(weights: own).area,
        partialArea: part.scores.partialArea(upTo: limit, weights: own))
    }
  }
}
