// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ModelCommands
import NetRunner
import TensorIO

struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare two models, or two runs, on the same samples.",
    discussion: """
      Shows which samples one gets right and the other wrong, whether the difference may be chance \
      (McNemar's test), and how the latencies compare.

      Examples:
        tensorio compare before.json after.json
        tensorio compare report.json --model digits --model digits-int8
      """)

  @Argument(
    help: ArgumentHelp("One or two reports.", valueName: "report.json"),
    completion: .file(extensions: ["json"]))
  var reports: [String]

  @Option(
    help: ArgumentHelp(
      "The identifier of a model, if reports have several; pass it twice for two.",
      valueName: "id"))
  var model: [String] = []

  @Flag(help: "Compare different datasets by the names of their samples.")
  var allowOtherDatasets = false

  @Option(help: "The seed for resampled intervals.")
  var seed: UInt64 = 0

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    try checkUsage(
      (1...2).contains(reports.count), "Name one or two reports, got \(reports.count).")
    try checkUsage(model.count <= 2, "--model can be given at most twice, got \(model.count).")
  }

  func run() throws {
    let comparison = try compare()
    for warning in comparison.warnings { Console.printMessage("warning: \(warning)") }
    if json {
      Console.printJSONText(try comparison.json())
    } else {
      Console.printData(comparison.text)
    }
  }

  private func compare() throws -> ReportComparison {
    let first = try EvaluationReport(contentsOf: reports[0])
    if reports.count == 1 {
      let ids = model.isEmpty ? first.models.map(\.model.id) : model
      guard ids.count == 2 else {
        let known = first.models.map { "'\($0.model.id)'" }.joined(separator: ", ")
        throw TensorIOError(
          .invalidOption,
          "'\(reports[0])' has the models \(known). Choose two with --model ID --model ID.")
      }
      return try ReportComparison(first, ids[0], ids[1], seed: seed)
    }
    var options = ReportComparison.Options()
    options.modelA = model.first
    options.modelB = model.last
    options.allowsOtherDatasets = allowOtherDatasets
    options.seed = seed
    return try ReportComparison(first, EvaluationReport(contentsOf: reports[1]), options)
  }
}
