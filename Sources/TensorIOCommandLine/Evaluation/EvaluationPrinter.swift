// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelCommands
import ModelTools
import NetRunner
import TensorIO

struct EvaluationPrinter {
  let report: EvaluationReport
  private static let shownErrors = 5

  static func print(_ gates: [GateResult]) {
    for gate in gates {
      Console.printMessage("\(gate.isMet ? "met" : "NOT MET"): \(gate.message)")
    }
  }

  func print(asJSON: Bool) throws {
    guard asJSON else { return printText() }
    Console.printJSONText(String(try report.json().dropLast()))
  }

  private func printText() {
    let dataset = report.dataset
    Console.printData(
      Console.bold(dataset.name.printable)
        + "  \(report.dataset.samples.counted(dataset.images)), \(evaluated)\(dataset.labelled) labelled"
    )
    for model in report.models { printModel(model) }
    printNoteOnOthers()
  }

  /// The number of images that were evaluated, if there is a limit.
  private var evaluated: String {
    guard let limit = report.settings.limit, limit < report.dataset.images else { return "" }
    return "\(limit) of them evaluated, "
  }

  private func printModel(_ result: ModelResult) {
    Console.printData("")
    Console.printData(
      Console.bold("\(result.model.name) \(result.model.version)".printable)
        + "  \(result.model.id.printable), \(result.model.backend)")
    printMetrics(result)
    printLatency(result)
    printErrors(result)
  }

  /// Prints the requested numbers, each once, because metrics may share some.
  private func printMetrics(_ result: ModelResult) {
    let metrics = result.metrics.sorted { $0.key < $1.key }
    // If a test bundle asks for a metric, only that one is shown, because the rest would be noise.
    let asked = metrics.filter { $0.key == report.dataset.metric }
    let shown = asked.isEmpty ? metrics : asked
    var table = TextTable(headings: ["metric", "value", "95% interval", "of"])
    var names: Set<String> = []
    for value in shown.flatMap(\.value.values) where names.insert(value.name).inserted {
      table.append(
        value.name, value.value?.fixed(4) ?? "undefined",
        value.interval.map { "\($0.lower.fixed(4)) to \($0.upper.fixed(4))" } ?? "",
        "\(value.count)")
    }
    if !names.isEmpty { Console.printTable(table, indentation: 2) }
    var notes: Set<String> = []
    let subject = report.models.count > 1 ? "'\(result.model.id.printable)': " : ""
    for note in shown.flatMap(\.value.notes) where notes.insert(note).inserted {
      Console.printMessage("note: \(subject)\(note.printable)")
    }
  }

  /// Prints a single note for all models if the report has more metrics than the table shows.
  private func printNoteOnOthers() {
    guard let asked = report.dataset.metric else { return }
    let others = report.models.map { result in
      let shown = Set(result.metrics[asked]?.values.map(\.name) ?? [])
      return Set(result.metrics.values.flatMap(\.values).map(\.name)).subtracting(shown).count
    }
    guard let count = others.max(), count > 0 else { return }
    Console.printMessage(
      "note: \(counted(count, "more metric")) \(count == 1 ? "is" : "are") in --json and --report; "
        + "--metric NAME prints metrics of your choice")
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
    if latency.total.count > 0 { Console.printTable(table, indentation: 2) }
    Console.printData(
      "  \(report.dataset.samples.counted(result.images)), \(result.failed) failed, "
        + "\(result.throughput.fixed(1)) per second"
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
