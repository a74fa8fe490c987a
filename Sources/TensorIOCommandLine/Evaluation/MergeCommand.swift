// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ModelCommands
import NetRunner
import TensorIO

/// The command `tensorio merge`.
struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge", abstract: "Merge the parts of an evaluation.",
    discussion: """
      The parts are .json reports of 'tensorio evaluate --part 1/4' to 4/4, made one after another \
      or on several machines. The numbers equal those of a single evaluation, to the last digit.

      Example:
        tensorio merge part*.json --report report.html --report report.json
      """)

  @Argument(
    help: ArgumentHelp("The reports of the parts.", valueName: "report.json"),
    completion: .file(extensions: ["json"]))
  var parts: [String]

  @OptionGroup var reports: ReportArguments

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Exit with code 1 unless a number is met, such as top1=0.7; may be repeated.",
      valueName: "name=number"))
  var failUnder: [GateArgument] = []

  @Flag(help: "Print the report as JSON.")
  var json = false

  func run() throws {
    let files = try reports.targets()
    let whole = try EvaluationReport.merging(
      parts: try parts.map { try EvaluationReport(contentsOf: $0) },
      registry: TensorIOTool.current.metrics)
    let gates = try failUnder.flatMap { try $0.gate.check(whole) }
    // The images may be on another machine. The HTML report then doesn't show them.
    let dataset =
      files.contains(where: \.showsPictures)
      ? try? Dataset(contentsOf: whole.dataset.path, layout: whole.dataset.layout) : nil
    for file in files { try file.write(whole, gates, of: dataset, suffix: nil) }
    try EvaluationPrinter(whole).print(asJSON: json)
    EvaluationPrinter.print(gates)
    if gates.contains(where: { !$0.isMet }) { throw ExitCode(1) }
  }
}
