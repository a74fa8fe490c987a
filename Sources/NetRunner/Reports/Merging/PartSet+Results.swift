// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

extension PartSet {
  /// Computes a model's results over all parts.
  func result(
    at position: Int, reduce: (ModelRecord, String, [JSONValue]) throws -> MetricReport
  ) throws -> ModelResult {
    let results = all.map { $0.models[position] }
    var whole = results[0]
    let id = whole.model.id
    let rows = all.map { part in part.results.filter { $0.model == id } }
    whole.pictures = rows.reduce(0) { $0 + $1.count }
    whole.failed = rows.reduce(0) { $0 + $1.count(where: \.error) }
    whole.labelled = try results.reduce(0) { sum, result in
      let (total, overflows) = sum.addingReportingOverflow(result.labelled)
      guard !overflows else {
        throw TensorIOError(
          .invalidOption, "The parts have too many labelled images of '\(id)' to count.")
      }
      return total
    }
    whole.latency = LatencyRecord(rows.flatMap { $0 }.compactMap(\.evaluation))
    whole.seconds = results.reduce(0) { $0 + $1.seconds }
    whole.throughput = whole.seconds > 0 ? Double(whole.pictures) / whole.seconds : 0
    whole.peakMemory = results.map(\.peakMemory).max() ?? 0
    whole.items = nil
    whole.labels = nil
    whole.metrics = [:]
    let names = results[0].metrics.keys.sorted()
    for (position, result) in results.enumerated() where result.metrics.keys.sorted() != names {
      throw TensorIOError(
        .invalidOption,
        "Part \(position + 1) has the metrics \(result.metrics.keys.sorted().joined(separator: ", ")) "
          + "of '\(id)', but part 1 has \(names.joined(separator: ", ")).")
    }
    for name in names {
      let items = try interleaved(name, results, rows)
      whole.metrics[name] = try reduce(whole.model, name, items)
    }
    return whole
  }

  /// The data that a metric kept for each image, in the dataset's order.
  private func interleaved(
    _ metric: String, _ results: [ModelResult], _ rows: [[ResultRow]]
  ) throws -> [JSONValue] {
    var all: [(index: Int, item: JSONValue)] = []
    for (position, result) in results.enumerated() {
      guard let items = result.items?[metric] else {
        throw TensorIOError(
          .invalidOption,
          "Part \(position + 1) has no data of '\(metric)' for each image of "
            + "'\(result.model.id)': 'items' is missing. Evaluate it again as a part.")
      }
      guard items.count == rows[position].count else {
        throw TensorIOError(
          .invalidOption,
          "Part \(position + 1) has \(counted(items.count, "item")) of '\(metric)' for "
            + "'\(result.model.id)', but \(counted(rows[position].count, "image")); one item for each "
            + "image was expected.")
      }
      all += zip(rows[position], items).map { ($0.index, $1) }
    }
    return all.sorted { $0.index < $1.index }.map(\.item)
  }
}
