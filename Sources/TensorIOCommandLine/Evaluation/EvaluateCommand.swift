// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ModelCommands
import ModelTools
import NetRunner
import TensorIO

struct EvaluateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evaluate", abstract: "Measure the accuracy and speed of models.",
    discussion: """
      A dataset is a .testbundle, a folder with a folder of images for each class, a .csv file of \
      paths and labels, COCO annotations as .json, a folder with images/ and masks/, or just \
      images. Recordings can take the place of images. For models that take other values, it is a \
      table of rows (.csv, .jsonl) or NumPy arrays (.npy, .npz). The layout is detected, and reported.

      Examples:
        tensorio evaluate digits.testbundle --models models
        tensorio evaluate photos --model pets.tiobundle --report report.html --report rows.csv
        tensorio evaluate photos --model pets.tiobundle --fail-under top1=0.9 --report junit.xml
        tensorio evaluate photos --model pets.tiobundle --part 1/4 --report part1.json

      An image, a recording or a row that is missing or damaged becomes a row with its error, and \
      counts as wrong. Ctrl-C ends the evaluation early, reports the finished part, and fails \
      every gate. Exit codes: 1 a gate of --fail-under was not met, 65 every sample failed, 130 \
      interrupted.
      """)

  @Argument(help: ArgumentHelp("The datasets.", valueName: "dataset"), completion: .file())
  var datasets: [String]

  @OptionGroup var choice: ModelChoice

  @Option(
    help: ArgumentHelp(
      "The layout of the datasets, instead of detecting it: "
        + Dataset.Layout.allCases.map(\.rawValue).joined(separator: ", ") + "."))
  var layout: Dataset.Layout?

  @Option(
    help: ArgumentHelp(
      "The folder that paths in a .csv or in COCO annotations are relative to.",
      valueName: "folder"), completion: .directory)
  var images: String?

  @OptionGroup var measures: MeasureArguments

  @Option(help: "How many times each sample is run (default: from the test bundle, or 1).")
  var iterations: Int?

  @Option(help: "How many unmeasured runs each thread starts with.")
  var warmup = 1

  @Option(help: "How many samples are processed at once.")
  var threads = 1

  @OptionGroup var parts: PartArguments

  @Option(help: "The largest number of samples to evaluate.")
  var limit: Int?

  @OptionGroup var reports: ReportArguments

  func validate() throws {
    let counts = 1...1_000_000
    try checkUsage(
      counts.contains(iterations ?? 1) && (0...1_000_000).contains(warmup)
        && (1...1024).contains(threads) && limit ?? 1 >= 1,
      "--iterations takes a number from 1 to 1000000, --warmup from 0 to 1000000, --threads from "
        + "1 to 1024, --limit a positive number.")
    try checkUsage(
      !reports.json || datasets.count == 1, "--json takes a single dataset, got \(datasets.count).")
  }

  func run() throws {
    let part = try parts.record()
    try checkUsage(
      part == nil || reports.json || reports.report.contains { $0.hasSuffix(".json") },
      "With --part, one of the reports must end in .json, because only these can be merged: "
        + "--report '{part}.json'.")
    let files = try reports.targets(part: part)
    try choice.checkInputs()
    let interruption = Interruption()
    var gates: [GateResult] = []
    var failure: (any Error)?
    var names: Set<String> = []
    for path in datasets where !interruption.isRequested {
      let dataset = try Dataset(
        contentsOf: path, layout: layout, options: DatasetOptions(imagesFolder: images))
      var report: EvaluationReport
      do {
        report = try evaluate(dataset, part, interruption)
      } catch let error as TensorIOError where error.code == .cancelled {
        Console.printMessage("interrupted before the first \(dataset.content.noun)")
        throw Interruption.exitCode
      }
      if interruption.isRequested { report.noteInterruption() }
      // An error in a gate or a file is only thrown after everything else is written.
      do {
        gates += try check(report, isWhole: !interruption.isRequested)
      } catch {
        failure = failure ?? error
      }
      let suffix =
        datasets.count > 1 ? names.insertUnique(dataset.id ?? dataset.name, separator: "-") : nil
      for file in files {
        do {
          try file.write(report, gates, of: dataset, suffix: suffix)
        } catch {
          failure = failure ?? error
        }
      }
      try EvaluationPrinter(report: report).print(asJSON: reports.json)
      if report.models.contains(where: { $0.images > 0 && $0.failed == $0.images }) {
        failure = failure ?? ExitCode(65)
      }
    }
    EvaluationPrinter.print(gates)
    if let failure { throw failure }
    if gates.contains(where: { !$0.isMet }) { throw ExitCode(1) }
    if interruption.isRequested {
      Console.printMessage("interrupted; the numbers cover what was evaluated so far")
      throw Interruption.exitCode
    }
  }

  /// Checks the gates, which are never met if the evaluation was interrupted.
  private func check(_ report: EvaluationReport, isWhole: Bool) throws -> [GateResult] {
    try reports.check(report).map { found in
      guard !isWhole, found.isMet else { return found }
      var result = found
      result.isMet = false
      result.message += " The evaluation was interrupted, so this gate isn't met."
      return result
    }
  }

  private func evaluate(
    _ dataset: Dataset, _ part: PartRecord?, _ interruption: Interruption
  ) throws -> EvaluationReport {
    for note in dataset.notes { Console.printMessage("\(dataset.name): \(note)") }
    let bundles = try choice.bundles(for: dataset)
    let run = try EvaluationRun(
      dataset, options: try options(for: dataset), limit: limit, part: part)
    var progress = ModelProgress()
    defer { progress.end() }
    let accelerators = AcceleratorReport(choice.accelerator)
    var report = try run.evaluate(
      bundles, with: accelerators.backends(limitedBy: .standard),
      by: ToolRecord(version: Version.current),
      libraries: Backends.versions(for: bundles), until: { interruption.isRequested },
      onProgress: {
        let accuracy = $0.judged > 0 ? Double($0.correct) / Double($0.judged) : nil
        progress.show($0.model, $0.done, of: $0.count, accuracy: accuracy, failed: $0.failed)
      })
    if accelerators.isAsked {
      report.environment.accelerators = Dictionary(
        bundles.map { ($0.manifest.id, accelerators.text(ofModelAt: $0.modelPath)) },
        uniquingKeysWith: { first, _ in first })
    }
    return report
  }

  private func options(for dataset: Dataset) throws -> EvaluationOptions {
    var options = EvaluationOptions()
    options.iterations = iterations ?? dataset.iterations ?? 1
    options.warmup = warmup
    options.threads = threads
    choice.apply(to: &options)
    try measures.apply(to: &options)
    return options
  }
}

extension EvaluationReport {
  /// Adds a note to the report that it doesn't cover all images.
  fileprivate mutating func noteInterruption() {
    let counts = models.map { "\($0.images) with '\($0.model.id)'" }.joined(separator: ", ")
    dataset.notes.append(
      "interrupted: of \(dataset.samples.counted(dataset.images)) "
        + (counts.isEmpty ? "none was evaluated" : "only \(counts) were evaluated"))
  }
}
