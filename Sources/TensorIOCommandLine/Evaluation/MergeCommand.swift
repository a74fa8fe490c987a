// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Files
import ModelCommands
import ModelTools
import NetRunner
import TensorIO

struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge", abstract: "Merge the parts of an evaluation or of a bulk run.",
    discussion: """
      The parts of an evaluation are .json reports of 'tensorio evaluate --part 1/4' to 4/4, made one \
      after another or on several machines. The numbers equal those of a single evaluation, to the \
      last digit. The parts of a bulk run are .sqlite, .db or .jsonl files of 'tensorio bulk --part'. \
      The merged rows are those of a single run, in the same order.

      Examples:
        tensorio merge part*.json --report report.html --report report.json
        tensorio merge results/rows-*.sqlite -o rows.sqlite -o rows.csv
      """)

  @Argument(
    help: ArgumentHelp("The reports or the rows of the parts.", valueName: "part"),
    completion: .file(extensions: ["json", "sqlite", "db", "jsonl"]))
  var parts: [String]

  @OptionGroup var reports: ReportArguments

  @Option(
    name: [.short, .long],
    help: ArgumentHelp(
      "A file for the rows of a bulk run: .sqlite, .db, .jsonl, .csv or .json; may be repeated.",
      valueName: "file"), completion: .file())
  var output: [String] = []

  @Flag(help: "Replace existing files of rows.")
  var force = false

  /// Whether the parts are those of a bulk run.
  private var isBulk: Bool { parts.contains { !$0.hasSuffix(".json") } }

  func validate() throws {
    if let other = parts.first(where: { !BulkResults.isLog($0) && !$0.hasSuffix(".json") }) {
      throw ValidationError(
        "'\(other)' isn't a part: reports of evaluations end in .json, and rows of bulk runs in .sqlite, "
          + ".db or .jsonl.")
    }
    try checkUsage(
      !isBulk || parts.allSatisfy(BulkResults.isLog),
      "Merge either the .json reports of an evaluation, or the .sqlite, .db or .jsonl files of a bulk run."
    )
    try checkUsage(
      isBulk != output.isEmpty,
      isBulk
        ? "Name the file for the merged rows: -o rows.sqlite."
        : "-o is for the rows of bulk runs. For the reports of an evaluation, pass --report.")
    try checkUsage(
      !isBulk || (reports.report.isEmpty && reports.failUnder.isEmpty),
      "--report and --fail-under are for evaluations. For the rows of a bulk run, pass -o.")
  }

  /// Throws if a file that would be written is one of the parts.
  private func checkTargets(_ paths: [String]) throws {
    let inputs = Set(parts.map { FileOperations.realPath($0) ?? $0 })
    for path in paths where inputs.contains(FileOperations.realPath(path) ?? path) {
      throw TensorIOError(
        .invalidOption, "'\(path)' is one of the parts. Name another file for the result.")
    }
  }

  func run() throws {
    try checkTargets(reports.report + output)
    if isBulk { return try mergeRows() }
    let files = try reports.targets()
    let whole = try EvaluationReport.merging(
      parts: try parts.map { try EvaluationReport(contentsOf: $0) },
      registry: TensorIOTool.current.metrics, names: parts)
    let gates = try reports.check(whole)
    // The images may be on another machine. The HTML report then doesn't show them.
    let dataset =
      files.contains(where: \.showsImages)
      ? try? Dataset(contentsOf: whole.dataset.path, layout: whole.dataset.layout) : nil
    for file in files { try file.write(whole, gates, of: dataset, suffix: nil) }
    try EvaluationPrinter(report: whole).print(asJSON: reports.json)
    EvaluationPrinter.print(gates)
    if gates.contains(where: { !$0.isMet }) { throw ExitCode(1) }
  }

  private func mergeRows() throws {
    for path in output {
      try BulkResults.check(path)
      guard force || !FileSystem.isFile(path) else {
        throw TensorIOError(.fileExists, "'\(path)' exists. Pass --force to replace it.")
      }
    }
    let merge = try BulkMerge(parts)
    for path in output { try merge.write(to: path) }
    if reports.json {
      return try Console.printJSON(
        .object([
          "models": .array(
            merge.counts.map {
              .object([
                "model": .string($0.model), "rows": .integer(Int64($0.rows)),
                "failed": .integer(Int64($0.failed)),
              ])
            })
        ]))
    }
    var table = TextTable(headings: ["model", "rows", "failed"])
    for count in merge.counts { table.append(count.model, "\(count.rows)", "\(count.failed)") }
    Console.printTable(table)
  }
}
