// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// How well the vectors that a model makes of images find other images of the same class.
///
/// Each image is a query for all others, which are ranked by the cosine of their vectors. Equal
/// cosines keep the dataset's order. A failed image is a query without results, and isn't a result.
struct RetrievalMetric: MetricFamily {
  enum Value: String, CaseIterable {
    /// The share of queries with an image of their class among the first results.
    case hit1 = "hit_at_1"
    case hit5 = "hit_at_5"
    case hit10 = "hit_at_10"
    /// The share of the images of the query's class that are among the first results.
    case recall1 = "recall_at_1"
    case recall5 = "recall_at_5"
    case recall10 = "recall_at_10"
    /// The mean of the precisions at all images of the query's class.
    case meanAveragePrecision = "retrieval_map"

    var isHit: Bool { [.hit1, .hit5, .hit10].contains(self) }
  }

  struct Item: Sendable, Hashable, Codable {
    var label: String
    /// Nil for an image that failed.
    var vector: PackedNumbers<Float>?
  }

  static let familyName = "retrieval"

  let name: String
  let context: MetricContext

  func evaluate(_ truth: GroundTruth, _ prediction: Prediction?) throws -> Item? {
    guard case .label(let label) = truth else { return nil }
    var item = Item(label: context.labelMap[label] ?? label)
    guard let prediction else { return item }
    guard let vector = prediction.embedding, !vector.isEmpty else {
      throw TensorIOError(
        .wrongOutputType,
        "Metric '\(name)' needs an output that is decoded to a vector, but the model has none. Add "
          + "\"decode\" with the type \"embedding\" to the output in model.json.")
    }
    guard vector.allSatisfy(\.isFinite) else {
      throw TensorIOError(
        .unrepresentableValue, "Metric '\(name)': the vector has numbers that aren't finite.")
    }
    item.vector = PackedNumbers(vector)
    return item
  }

  // MARK: - Report

  /// The ranks of the other images of a query's class, from 1, and how many such images there are.
  private struct Query {
    var label: String
    var ranks: [Int] = []
    var relevant = 0
  }

  func reduce(_ items: [Item]) throws -> MetricReport {
    let widths = Set(items.compactMap { $0.vector?.numbers.count })
    guard widths.count < 2 else {
      throw TensorIOError(
        .wrongKind,
        "Metric '\(name)' needs vectors of the same length, but their lengths are "
          + "\(widths.sorted()).")
    }
    let all = queries(items)
    let queries = all.filter { $0.relevant > 0 }
    var report = MetricReport(values: [])
    for value in values {
      let numbers = queries.map { Self.number(value, $0) }
      let interval =
        value.isHit
        ? MetricValue.Interval.wilson(successes: Int(numbers.reduce(0, +)), of: numbers.count)
        : MetricValue.Interval.normal(meanOf: numbers).map {
          .init(lower: max($0.lower, 0), upper: min($0.upper, 1))
        }
      report.values.append(
        MetricValue(
          value.rawValue, numbers.meanIfAny, interval: interval, count: queries.count))
    }
    let failed = items.count { $0.vector == nil }
    if failed > 0 {
      report.notes.append(
        "\(failed) of \(context.content.counted(items.count)) failed: as queries they find nothing, and no "
          + "query finds them.")
    }
    if queries.isEmpty {
      report.notes.append(
        "No value is defined: no two \(context.content.plural) have the same class.")
    } else if queries.count < all.count {
      let count = all.count - queries.count
      report.notes.append(
        "\(context.content.counted(count)) \(count == 1 ? "isn't a query" : "aren't queries"), because no other "
          + "\(context.content.noun) has the class.")
    }
    if isFamily {
      let classes = Dictionary(grouping: queries, by: \.label)
      report.classes = classes.sorted { $0.key < $1.key }.map { label, queries in
        let values = [Value.hit1, .meanAveragePrecision].map { value in
          (value.rawValue, queries.map { Self.number(value, $0) }.meanIfAny)
        }
        return ClassMetrics(
          label: label, support: queries.count, values: Dictionary(uniqueKeysWithValues: values))
      }
    }
    return report
  }

  private static func number(_ value: Value, _ query: Query) -> Double {
    func hits(_ most: Int) -> Int { query.ranks.count { $0 <= most } }
    func hit(_ most: Int) -> Double { hits(most) > 0 ? 1 : 0 }
    func recall(_ most: Int) -> Double { Double(hits(most)) / Double(query.relevant) }
    switch value {
    case .hit1: return hit(1)
    case .hit5: return hit(5)
    case .hit10: return hit(10)
    case .recall1: return recall(1)
    case .recall5: return recall(5)
    case .recall10: return recall(10)
    case .meanAveragePrecision:
      let precisions = query.ranks.enumerated().map { Double($0 + 1) / Double($1) }
      return precisions.reduce(0, +) / Double(query.relevant)
    }
  }

  private func queries(_ items: [Item]) -> [Query] {
    let gallery = items.filter { $0.vector != nil }
    let vectors = gallery.map { $0.vector?.numbers ?? [] }
    let lengths = vectors.map { Self.product($0, $0).squareRoot() }
    var counts: [String: Int] = [:]
    for item in gallery { counts[item.label, default: 0] += 1 }
    var own = -1
    return items.map { item in
      var query = Query(label: item.label, relevant: counts[item.label] ?? 0)
      guard item.vector != nil else { return query }
      own += 1
      query.relevant -= 1
      guard query.relevant > 0 else { return query }
      let cosines = vectors.indices.map { other in
        let product = Self.product(vectors[own], vectors[other])
        return product == 0 ? 0 : product / (lengths[own] * lengths[other])
      }
      let order = vectors.indices.filter { $0 != own }.sorted {
        (cosines[$1], $0) < (cosines[$0], $1)
      }
      for (rank, other) in order.enumerated() where gallery[other].label == item.label {
        query.ranks.append(rank + 1)
      }
      return query
    }
  }

  /// The sum of the products in double precision, whose squares of floats are never infinite or 0.
  private static func product(_ left: [Float], _ right: [Float]) -> Double {
    let left = left.span
    let right = right.span
    var sums = SIMD4<Double>.zero
    var index = 0
    while index + 4 <= left.count {
      for lane in 0..<4 {
        sums[lane] += Double(left[index + lane]) * Double(right[index + lane])
      }
      index += 4
    }
    var sum = sums.sum()
    while index < left.count {
      sum += Double(left[index]) * Double(right[index])
      index += 1
    }
    return sum
  }
}
