// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
  ///   - names: The files of the parts, for errors; empty if they have none.
  /// - Returns: The report of the whole evaluation.
  /// - Throws: `TensorIOError` with the code `.invalidOption` that says which parts don't belong
  ///   together, or what is missing.
  public static func merging(
    parts: [EvaluationReport], registry: MetricRegistry = .standard, names: [String] = []
  ) throws -> EvaluationReport {
    let parts = try PartSet(parts, names)
    var whole = parts.first
    whole.part = nil
    whole.created = parts.all.map(\.created).min() ?? whole.created
    whole.environment = EnvironmentRecord(merging: parts.all.map(\.environment))
    whole.dataset.notes = parts.all.flatMap(\.dataset.notes).withoutRepetitions
    whole.models = try parts.first.models.indices.map { try parts.result(at: $0, registry) }
    whole.results = parts.rows
    whole.results.dropLaterPictures()
    whole.summary = try parts.first.summary.map { row in
      guard let result = whole.models.first(where: { $0.model.id == row.model }) else {
        throw TensorIOError(
          .invalidOption,
          "Part \(parts.number(0)) has a summary of '\(row.model)', which is not among its models.")
      }
      var row = row
      row.latency = result.latency.inference.mean
      row.classificationAccuracy = result.summary(testBundle: "").classificationAccuracy
      return row
    }
    return whole
  }
}

extension [ResultRow] {
  /// Leaves pictures only to the first rows of each model, as a run on all images does.
  fileprivate mutating func dropLaterPictures() {
    var counts: [String: Int] = [:]
    for index in indices {
      counts[self[index].model, default: 0] += 1
      if counts[self[index].model, default: 0] > ResultPicture.count {
        self[index].dropPictures()
      }
    }
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
      cores: all.map(\.cores).max() ?? 0, libraries: all.first?.libraries ?? [:],
      accelerators: all.compactMap(\.accelerators).reduce(nil) { whole, part in
        (whole ?? [:]).merging(part) { $0 == $1 ? $0 : "\($0) / \($1)" }
      })
  }
}

extension [String] {
  fileprivate var withoutRepetitions: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}

/// A complete and ordered set of parts that belong together.
struct PartSet {
  let all: [EvaluationReport]
  let first: EvaluationReport
  /// The files of the parts; empty if they have none.
  private let names: [String]
  private var content: Dataset.Content { first.dataset.samples }

  init(_ parts: [EvaluationReport], _ names: [String]) throws {
    guard parts.count > 0 else {
      throw Self.mismatch("There are no parts to merge.")
    }
    let records = try parts.enumerated().map { position, report in
      guard let part = report.part else {
        throw Self.mismatch(
          (names.isEmpty ? "Report \(position + 1) of \(parts.count)" : "'\(names[position])'")
            + " isn't a part: it covers all \(report.dataset.samples.plural). To make "
            + "parts, run 'tensorio evaluate --part 1/\(max(2, parts.count))'.")
      }
      return part
    }
    let order = try PartRecord.order(
      records, names: names.isEmpty ? nil : names, of: "evaluation", command: "tensorio evaluate")
    all = order.map { parts[$0] }
    self.names = names.isEmpty ? [] : order.map { names[$0] }
    first = all[0]
    for position in all.indices.dropFirst() { try compare(position) }
    try checkRows()
  }

  /// The number of the part at a position, and its file if it has one, for errors.
  func number(_ position: Int) -> String {
    "\(position + 1)" + (names.isEmpty ? "" : " ('\(names[position])')")
  }

  private static func mismatch(_ message: String) -> TensorIOError {
    TensorIOError(.invalidOption, message)
  }

  // MARK: - What parts have in common

  private func compare(_ position: Int) throws {
    let other = all[position]
    try compare("tool", first.tool, other.tool, position)
    try compare("settings", first.settings, other.settings, position)
    try compare(
      "environment.libraries", first.environment.libraries, other.environment.libraries, position)
    try compare("dataset", first.dataset.withoutPlace, other.dataset.withoutPlace, position)
    let ids = (first.models.map(\.model.id), other.models.map(\.model.id))
    guard ids.0 == ids.1 else {
      throw Self.mismatch(
        "Part \(number(position)) covers the models \(ids.1.joined(separator: ", ")), but part 1 covers "
          + "\(ids.0.joined(separator: ", ")).")
    }
    for (a, b) in zip(first.models, other.models) {
      try compare("model '\(a.model.id)'", a.model.withoutPlace, b.model.withoutPlace, position)
      guard a.labels == b.labels else {
        throw Self.mismatch(
          "Part \(number(position)) doesn't belong to part 1: its labels of '\(a.model.id)' are "
            + "others, or in another order. Evaluate all parts with the same models and options.")
      }
    }
  }

  private func compare(
    _ what: String, _ first: any Encodable, _ other: any Encodable, _ position: Int
  ) throws {
    let (one, two) = (try Self.members(first), try Self.members(other))
    for key in Set(one.keys).union(two.keys).sorted() where one[key] != two[key] {
      func text(_ value: JSONValue?) throws -> String {
        try value.map { try StableJSON($0).text } ?? "missing"
      }
      throw Self.mismatch(
        "Part \(number(position)) doesn't belong to part 1: '\(key)' in its \(what) is "
          + "\(try text(two[key])), but in part 1 it is \(try text(one[key])). Evaluate all parts "
          + "with the same models and options."
      )
    }
  }

  private static func members(_ value: some Encodable) throws -> [String: JSONValue] {
    let document = try JSONValue(parsing: Data(StableJSON(value).text.utf8))
    guard case .object(let members) = document else { return ["": document] }
    return members
  }

  // MARK: - Rows

  private func checkRows() throws {
    let expected = max(0, min(first.settings.limit ?? .max, first.dataset.images))
    // With a seed, a limit chooses samples from the whole dataset.
    let highest = first.settings.seed == 0 ? expected : first.dataset.images
    for model in first.models.map(\.model.id) {
      var owners: [Int: Int] = [:]
      for (position, part) in all.enumerated() {
        for row in part.results where row.model == model {
          guard row.index >= 0, row.index < highest else {
            throw Self.mismatch(
              "Part \(number(position)) has the index \(row.index) for '\(model)', but the dataset has "
                + "\(content.counted(highest)).")
          }
          if let owner = owners.updateValue(position, forKey: row.index) {
            throw Self.mismatch(
              "The \(content.noun) '\(row.image)' (index \(row.index)) of '\(model)' is in "
                + (owner == position
                  ? "part \(number(owner)) twice."
                  : "part \(number(owner)) and in part \(number(position))."))
          }
        }
      }
      guard owners.count == expected else {
        let missing = (0..<expected).first { owners[$0] == nil } ?? 0
        throw Self.mismatch(
          "The parts have \(owners.count) of \(content.counted(expected)) for '\(model)'"
            + (highest == expected ? ": the one with the index \(missing) is missing." : "."))
      }
    }
  }

  /// All rows, in the same order as in a report about all images.
  var rows: [ResultRow] {
    let positions = Dictionary(
      first.models.enumerated().map { ($1.model.id, $0) }, uniquingKeysWith: { old, _ in old })
    // A part with several images shows the order.
    let longest = all.map(\.results).first { $0.count > first.models.count } ?? []
    let goesByImage = longest.count > 1 && longest[0].model != longest[1].model
    return all.flatMap(\.results).sorted { a, b in
      let (modelA, modelB) = (positions[a.model] ?? 0, positions[b.model] ?? 0)
      return goesByImage
        ? (a.index, modelA) < (b.index, modelB) : (modelA, a.index) < (modelB, b.index)
    }
  }
}

extension DatasetRecord {
  /// A copy of the record without the values that can differ between machines.
  fileprivate var withoutPlace: DatasetRecord {
    var record = self
    record.path = ""
    record.notes = []
    return record
  }
}

extension ModelRecord {
  fileprivate var withoutPlace: ModelRecord {
    var record = self
    record.path = ""
    return record
  }
}

extension PartSet {
  func result(at position: Int, _ registry: MetricRegistry) throws -> ModelResult {
    let results = all.map { $0.models[position] }
    var whole = results[0]
    let id = whole.model.id
    let rows = all.map { part in part.results.filter { $0.model == id } }
    whole.images = rows.reduce(0) { $0 + $1.count }
    whole.failed = rows.reduce(0) { $0 + $1.count(where: \.error) }
    whole.labelled = try results.reduce(0) { sum, result in
      let (total, overflows) = sum.addingReportingOverflow(result.labelled)
      guard !overflows else {
        throw Self.mismatch(
          "The parts have too many labelled \(content.plural) of '\(id)' to count.")
      }
      return total
    }
    whole.latency = LatencyRecord(rows.flatMap { $0 }.compactMap(\.evaluation))
    whole.seconds = results.reduce(0) { $0 + $1.seconds }
    whole.throughput = whole.seconds > 0 ? Double(whole.images) / whole.seconds : 0
    whole.peakMemory = results.map(\.peakMemory).max() ?? 0
    whole.items = nil
    whole.labels = nil
    whole.metrics = [:]
    let names = results[0].metrics.keys.sorted()
    for (position, result) in results.enumerated() where result.metrics.keys.sorted() != names {
      throw Self.mismatch(
        "Part \(number(position)) has the metrics \(result.metrics.keys.sorted().joined(separator: ", ")) "
          + "of '\(id)', but part 1 has \(names.joined(separator: ", ")).")
    }
    let settings = first.settings
    let context = MetricContext(
      labels: results[0].labels ?? [], topK: settings.topK, labelOffset: settings.labelOffset,
      labelMap: settings.labelMap ?? [:], ignoredClass: settings.ignoredClass, seed: settings.seed,
      content: content)
    for name in names {
      let items = try interleaved(name, results, rows)
      var accumulator = MetricAccumulator(try registry.metric(named: name, context: context))
      try accumulator.merge(items, at: items.indices)
      whole.metrics[name] = try accumulator.report()
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
        throw Self.mismatch(
          "Part \(number(position)) has no data of '\(metric)' for each \(content.noun) of "
            + "'\(result.model.id)': 'items' is missing. Evaluate it again as a part.")
      }
      guard items.count == rows[position].count else {
        throw Self.mismatch(
          "Part \(number(position)) has \(counted(items.count, "item")) of '\(metric)' for "
            + "'\(result.model.id)', but \(content.counted(rows[position].count)); one item for each "
            + "\(content.noun) was expected.")
      }
      all += zip(rows[position], items).map { ($0.index, $1) }
    }
    return all.sorted { $0.index < $1.index }.map(\.item)
  }
}
