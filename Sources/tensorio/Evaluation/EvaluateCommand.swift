// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import NetRunner
import TensorIO
import TensorIOImageCodecs

/// The command `tensorio evaluate`.
struct EvaluateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evaluate", abstract: "Measure how good and how fast vision models are.",
    discussion: """
      A dataset is a .testbundle, a folder with a folder of pictures for each class, a .csv file of \
      paths and labels, COCO's annotations as .json, a folder with images/ and masks/, or just \
      pictures; which one is guessed and said.

      Examples:
        tensorio evaluate digits.testbundle --models models
        tensorio evaluate photos --model pets.tiobundle --report report.html --report rows.csv
        tensorio evaluate photos --model pets.tiobundle --fail-under top1=0.9 --report junit.xml
        tensorio evaluate photos --model pets.tiobundle --part 1/4 --report part1.json

      A picture that is missing or damaged is a row with its error, and counts as wrong. Ctrl-C ends \
      early and reports what is done. Exit code 1: a gate of --fail-under was not met.
      """)

  @Argument(help: ArgumentHelp("The datasets.", valueName: "dataset"), completion: .file())
  var datasets: [String]

  @OptionGroup var choice: ModelChoice

  @Option(
    help: ArgumentHelp(
      "How the datasets are laid out, instead of a guess: "
        + Dataset.Layout.allCases.map(\.rawValue).joined(separator: ", ") + ".",
      valueName: "layout"))
  var layout: Dataset.Layout?

  @Option(
    help: ArgumentHelp(
      "The folder that the paths of a .csv or of COCO's annotations begin in.", valueName: "folder"),
    completion: .directory)
  var images: String?

  @OptionGroup var measures: MeasureArguments

  @Option(help: "How often each picture is run; a test bundle's own number unless told.")
  var iterations: Int?

  @Option(help: "How many runs of each thread go before, unmeasured.")
  var warmup = 1

  @Option(help: "How many pictures are under way at once.")
  var threads = 1

  @Option(help: "The most pictures to evaluate.")
  var limit: Int?

  @Option(
    help: ArgumentHelp(
      "Evaluate every nth picture only, as 2/4; 'tensorio merge' puts the reports together.",
      valueName: "i/n"))
  var part: PartArgument?

  @Option(help: "How much of a JPEG is decoded: exact, high or fast, as in 'tensorio run'.")
  var decode: DecodeScaling = .exact

  @Option(
    help: ArgumentHelp(
      "What rows keep of the outputs: all, none, or so many of the highest values.",
      valueName: "all|none|n"))
  var outputs: OutputsArgument?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Write a report: .json, .csv, .xml (JUnit) or .html; may be repeated.", valueName: "file"),
    completion: .file(extensions: ["json", "csv", "xml", "html"]))
  var report: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Fail with exit code 1 unless a number is that good, as top1=0.7 or latency_p95<=20; may be "
        + "repeated.",
      valueName: "name=number"))
  var failUnder: [GateArgument] = []

  @Flag(help: "Print the report as JSON.")
  var json = false

  func validate() throws {
    guard iterations ?? 1 >= 1, warmup >= 0, (1...1024).contains(threads), limit ?? 1 >= 1 else {
      throw ValidationError(
        "--iterations, --threads and --limit take positive numbers, --warmup one from 0.")
    }
  }

  func run() throws {
    let files = try report.map { try ReportTarget($0) }
    let interruption = Interruption()
    var results: [GateResult] = []
    for path in datasets where !interruption.isRequested {
      let dataset = try Dataset(
        contentsOf: path, layout: layout, options: DatasetOptions(imagesFolder: images))
      let report = try evaluate(dataset, interruption)
      let checked = Result { try failUnder.flatMap { try $0.gate.check(report) } }
      // A gate that names no number is an error, but not before the work is written.
      let gates = (try? checked.get()) ?? []
      for file in files {
        try file.write(
          report, gates, of: dataset, suffix: datasets.count > 1 ? dataset.id ?? dataset.name : nil)
      }
      try printReport(report, gates)
      _ = try checked.get()
      results += gates
    }
    if interruption.isRequested {
      Console.printMessage("interrupted; the numbers are of what was done")
    }
    if results.contains(where: { !$0.isMet }) { throw ExitCode(1) }
  }

  private func evaluate(
    _ dataset: Dataset, _ interruption: Interruption
  ) throws -> EvaluationReport {
    for note in dataset.notes { Console.printMessage("\(dataset.name): \(note)") }
    let bundles = try choice.bundles(withIDs: dataset.modelIDs)
    for bundle in bundles {
      for warning in bundle.warnings { Console.printMessage("warning: \(warning)") }
    }
    let run = try EvaluationRun(
      dataset, options: options(for: dataset), limit: limit, part: part?.record)
    var progress = EvaluationProgress()
    defer { progress.end() }
    return try run.evaluate(
      bundles, with: Backends.all, by: ToolRecord(version: Version.current),
      libraries: Backends.versions(for: bundles), until: { interruption.isRequested },
      onProgress: { progress.show($0) })
  }

  private func options(for dataset: Dataset) -> EvaluationOptions {
    var options = EvaluationOptions()
    options.iterations = iterations ?? dataset.iterations ?? 1
    options.warmup = warmup
    options.threads = threads
    options.decoder.scaling = decode
    options.kept = outputs?.kept
    measures.apply(to: &options)
    return options
  }

  private func printReport(_ report: EvaluationReport, _ gates: [GateResult]) throws {
    if json {
      Console.printData(String(try report.json().dropLast()))
    } else {
      EvaluationPrinter(report).printText()
    }
    for gate in gates { Console.printMessage("\(gate.isMet ? "met" : "NOT MET"): \(gate.message)") }
  }
}
