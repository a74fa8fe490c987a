// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import NetRunner
import TensorIO

/// Prints a report for a person.
struct EvaluationPrinter {
  private let report: EvaluationReport
  /// How many failed pictures are named.
  private static let shownErrors = 5

  init(_ report: EvaluationReport) { self.report = report }

  func printText() {
    let dataset = report.dataset
    Console.printData(
      Console.bold(dataset.name.printable)
        + "  \(dataset.pictures) pictures, \(evaluated)\(dataset.labelled) labelled")
    for model in report.models { printModel(model) }
  }

  /// How many pictures a limit left, where there is one.
  private var evaluated: String {
    guard let limit = report.settings.limit, limit < report.dataset.pictures else { return "" }
    return "\(limit) of them evaluated, "
  }

  private func printModel(_ result: ModelResult) {
    Console.printData("")
    Console.printData(
      Console.bold("\(result.model.name) \(result.model.version)".printable)
        + "  \(result.model.id.printable), \(result.model.backend)")
    var table = TextTable(headings: ["metric", "value", "95% interval", "of"])
    for (_, metric) in result.metrics.sorted(by: { $0.key < $1.key }) {
      for value in metric.values {
        table.append(
          value.name, value.value?.fixed(4) ?? "undefined",
          value.interval.map { "\($0.lower.fixed(4)) to \($0.upper.fixed(4))" } ?? "",
          "\(value.count)")
      }
    }
    if !result.metrics.isEmpty { for line in table.lines() { Console.printData(line) } }
    for (_, metric) in result.metrics.sorted(by: { $0.key < $1.key }) {
      for note in metric.notes { Console.printMessage("note: \(note.printable)") }
    }
    printLatency(result)
    printErrors(result)
  }

  private func printLatency(_ result: ModelResult) {
    let latency = result.latency
    var table = TextTable(headings: ["ms", "mean", "p50", "p90", "p95", "p99", "max"])
    let rows = [
      ("decode", latency.decode), ("preprocess", latency.preprocess),
      ("inference", latency.inference), ("postprocess", latency.postprocess),
      ("total", latency.total),
    ]
    func text(_ value: Double?) -> String { value.map { $0.fixed(3) } ?? "too few" }
    for (name, stage) in rows where stage.count > 0 {
      table.append(
        name, text(stage.mean), text(stage.p50), text(stage.p90), text(stage.p95),
        text(stage.p99), text(stage.maximum))
    }
    if latency.total.count > 0 { for line in table.lines() { Console.printData(line) } }
    Console.printData(
      "  \(result.pictures) pictures, \(result.failed) failed, \(result.throughput.fixed(1)) a second"
    )
  }

  private func printErrors(_ result: ModelResult) {
    let errors = report.results.filter { $0.model == result.model.id && $0.error }
    for row in errors.prefix(Self.shownErrors) {
      Console.printMessage(
        "failed: \(row.image.printable): \((row.errorDescription ?? "").printable)")
    }
    if errors.count > Self.shownErrors {
      Console.printMessage(
        "failed: \(errors.count - Self.shownErrors) more, see --report or --json")
    }
  }
}
