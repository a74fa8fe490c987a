// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ModelCommands
import ModelTools
import NetRunner
import TensorIO

struct BulkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bulk",
    abstract: "Run models on folders of photos or recordings or on tables, and keep the results.",
    discussion: """
      Examples:
        tensorio bulk photos --models models -o results.sqlite
        tensorio bulk photos more/photos --model pets.tiobundle -o results.jsonl -o results.csv
        tensorio bulk photos --models models -o results.sqlite --resume
        tensorio bulk flats.csv --model prices.tiobundle -o prices.csv
        tensorio bulk s3://bucket/photos/ shards/*.tar --model pets.tiobundle -o results.sqlite
        tensorio bulk photos.manifest --model pets.tiobundle --part 3/8 -o 'rows-{part}.sqlite'

      Results are written as .sqlite (or .db), .jsonl, .csv or .json (Net Runner's format). Rows \
      are written every second. After Ctrl-C, a crash or kill -9, --resume continues where the run \
      stopped. A photo that is missing or damaged becomes a row with its error; the exit code is 65 \
      if every photo failed. Links to photos are followed, but links to folders aren't.

      s3:// addresses are read with the keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; \
      AWS_REGION and AWS_ENDPOINT_URL_S3 name the region and the server. The photos in a tar \
      archive are named archive.tar/photo.jpg.

      Several machines can share a run: 'tensorio list' makes a manifest, --part takes every n-th of \
      its items, and 'tensorio merge' merges the rows. In the names of files, {part} stands for the \
      part, such as 3-of-8.
      """)

  @Argument(
    help: ArgumentHelp(
      "Folders of photos or recordings, files, tables, arrays, tar archives, a manifest, or addresses of "
        + "photos, of archives or of folders in S3 (s3://bucket/folder/)."),
    completion: .file())
  var photos: [String]

  @OptionGroup var choice: ModelChoice

  @OptionGroup var parts: PartArguments

  @Option(
    name: [.short, .long],
    help: ArgumentHelp(
      "The file for the results: .sqlite, .db, .jsonl, .csv or .json; may be repeated.",
      valueName: "file"), completion: .file())
  var output: [String]

  @Flag(help: "Continue: skip the samples that have a row in the results.")
  var resume = false

  @Flag(help: "With --resume, retry samples that failed.")
  var retryFailed = false

  @Flag(help: "Start from the beginning, and remove existing results.")
  var force = false

  @Option(help: "How many times each sample is run; the latencies are means.")
  var iterations = 1

  @Option(help: "How many samples are processed at once (default: the number of processors).")
  var threads: Int?

  @Flag(help: "Print the counts of each model as JSON.")
  var json = false

  func validate() throws {
    try checkUsage(
      (1...1_000_000).contains(iterations) && (1...1024).contains(threads ?? 1),
      "--iterations and --threads take positive numbers.")
    try checkUsage(!resume || !force, "Pass either --resume or --force, not both.")
    try checkUsage(
      resume || !retryFailed,
      "--retry-failed needs --resume. Without --resume, every photo is run.")
    let isManifest = photos.contains { $0.hasSuffix(Manifest.fileExtension) }
    try checkUsage(
      !isManifest || photos.count == 1, "A manifest can't be combined with other inputs.")
    try checkUsage(
      isManifest || parts.part == nil,
      "--part needs a manifest, so that all parts have the same list: 'tensorio list "
        + "\(photos.joined(separator: " ")) -o photos.manifest'.")
    try checkUsage(
      parts.part == nil || output.contains(where: BulkResults.isLog),
      "With --part, one of the files must be .sqlite, .db or .jsonl, because only these can be merged."
    )
  }

  /// Throws if one of the inputs is neither a file, a folder nor a URL.
  static func checkExistence(of inputs: [String]) throws {
    let isThere = { (path: String) in
      ObjectAddress.isAddress(path) || FileSystem.isFolder(path) || FileSystem.isFile(path)
    }
    if let path = inputs.first(where: { !isThere($0) }) {
      throw TensorIOError(.fileNotFound, "There is no file or folder '\(path)'.")
    }
  }

  func run() throws {
    var options = EvaluationOptions()
    options.iterations = iterations
    options.threads = threads ?? Processors.count
    choice.apply(to: &options)
    options.objects = ObjectStore.access
    try Self.checkExistence(of: photos)
    let part = try parts.record()
    try choice.checkInputs()
    let (samples, dataset) = try samples(part, options.objects)
    let bundles = try choice.bundles(for: dataset)
    for note in dataset.notes { Console.printMessage("note: \(note.printable)") }
    let results = try BulkResults(
      output.map { part?.naming($0) ?? $0 }, of: samples.part, resuming: resume, replacing: force)
    let interruption = Interruption()
    var progress = ModelProgress()
    let accelerators = AcceleratorReport(choice.accelerator)
    let counts = try BulkRun(
      samples, options: options, log: results.log, retriesFailures: retryFailed
    ).run(
      bundles, with: accelerators.backends(limitedBy: .standard),
      until: { interruption.isRequested },
      onProgress: {
        progress.show($0.model, $0.done, of: $0.count, doneBefore: $0.resumed, failed: $0.failed)
      })
    progress.end()
    let isWhole =
      counts.count == bundles.count
      && counts.allSatisfy { $0.done == $0.count || $0.failure != nil }
    try results.finish(isWhole: isWhole)
    try printCounts(counts, of: bundles, accelerators)
    for count in counts {
      guard let failure = count.failure else { continue }
      Console.printMessage("error: '\(count.model)' couldn't be loaded: \(failure.printable)")
    }
    if let refusal = accelerators.refusal { Console.printMessage("error: \(refusal)") }
    if counts.contains(where: { $0.failure != nil }) || accelerators.refusal != nil {
      throw ExitCode(65)
    }
    if !isWhole {
      Console.printMessage("interrupted; --resume continues")
      throw Interruption.exitCode
    }
    // A part can be as small as one damaged photo, and a cluster would run it again and again.
    if part == nil { try checkSomeSucceeded(counts, dataset.content) }
  }

  /// Throws if all samples of a model failed, because then the model or the dataset is wrong.
  private func checkSomeSucceeded(
    _ counts: [BulkRun.Progress], _ content: Dataset.Content
  ) throws {
    let failed = counts.filter { $0.count > 0 && $0.failed == $0.count }
    for count in failed {
      // Samples of an earlier run, which --resume passed over, have their errors only in the rows.
      let reason = count.firstError.map { ", first with: \($0.printable)" } ?? "; the rows say why"
      Console.printMessage(
        "error: '\(count.model.printable)' failed for every \(content.noun)\(reason)")
    }
    if !failed.isEmpty { throw ExitCode(65) }
  }

  /// Returns the samples, and a dataset that tells which models suit them.
  private func samples(_ part: PartRecord?, _ objects: ObjectAccess?) throws -> (
    BulkSamples, Dataset
  ) {
    guard photos[0].hasSuffix(Manifest.fileExtension) else {
      var dataset = try Dataset(images: photos)
      try dataset.findContent(with: objects)
      return (.dataset(dataset), dataset)
    }
    let manifest = try Manifest(photos[0])
    return (
      .manifest(manifest, part ?? PartRecord(index: 1, count: 1)), Dataset(firstOf: manifest)
    )
  }

  private func printCounts(
    _ counts: [BulkRun.Progress], of bundles: [ModelBundle], _ accelerators: AcceleratorReport
  ) throws {
    func accelerator(_ model: String) -> String? {
      let bundle = bundles.first { $0.manifest.id == model }
      return accelerators.isAsked ? accelerators.text(ofModelAt: bundle?.modelPath) : nil
    }
    if json {
      return try Console.printJSON(
        .object([
          "models": .array(
            counts.map { count in
              var members: [String: JSONValue] = [
                "model": .string(count.model), "done": .integer(Int64(count.done)),
                "photos": .integer(Int64(count.count)), "failed": .integer(Int64(count.failed)),
                "resumed": .integer(Int64(count.resumed)),
              ]
              members["accelerator"] = accelerator(count.model).map(JSONValue.string)
              return .object(members)
            })
        ]))
    }
    var table = TextTable(
      headings: ["model", "done", "of", "failed", "done before", "accelerator"])
    for count in counts {
      table.append(
        count.model, "\(count.done)", "\(count.count)", "\(count.failed)", "\(count.resumed)",
        accelerator(count.model) ?? "")
    }
    Console.printTable(table)
  }
}

/// The result files of a bulk run: a log that rows are appended to, and exports that are made from
/// it.
struct BulkResults {
  /// The log that rows are appended to.
  let log: any PartLog

  private let logPath: String
  /// Whether the log is removed when everything is done.
  private let isTemporary: Bool
  private let exports: [(format: BulkExport, path: String)]

  /// Opens the files.
  ///
  /// The first path that rows can be appended to is the log. If there is none, the log is a file
  /// beside the first path. Rows of another part are refused.
  init(_ paths: [String], of part: BulkPart?, resuming: Bool, replacing: Bool) throws {
    for path in paths { try Self.check(path) }
    let log = paths.first(where: BulkMerge.isDatabase) ?? paths.first(where: Self.isLog)
    logPath = log ?? paths[0] + ".rows.jsonl"
    isTemporary = log == nil
    exports = try paths.filter { $0 != log }.map { path in
      guard let format = BulkExport(path: path) else {
        throw TensorIOError(
          .invalidOption, "Only one results database can be written. Leave out '\(path)'.")
      }
      return (format, path)
    }
    if resuming, isTemporary, !FileSystem.isFile(logPath),
      let path = paths.first(where: FileSystem.isFile)
    {
      throw TensorIOError(
        .fileExists,
        "'\(path)' is complete, and this format can't be resumed. Pass --force to start from the "
          + "beginning, or write the results as .sqlite or .jsonl.")
    } else if !resuming, !replacing, let path = (paths + [logPath]).first(where: FileSystem.isFile)
    {
      throw TensorIOError(
        .fileExists,
        "'\(path)' exists. Pass --resume to continue it, or --force to start from the beginning.")
    }
    self.log = try BulkMerge.log(logPath, replacing: replacing)
    // Another run may write to the files until the log is locked.
    if replacing { for path in paths where path != logPath { try FileSystem.remove(path) } }
    try self.log.begin(part)
  }

  /// Writes the exports, and keeps the log of an incomplete run for later.
  func finish(isWhole: Bool) throws {
    for (format, path) in exports { try format.write(log, to: path) }
    if isTemporary, isWhole { try FileSystem.remove(logPath) }
  }

  static func check(_ path: String) throws {
    guard BulkMerge.isDatabase(path) || BulkExport(path: path) != nil else {
      throw TensorIOError(
        .invalidOption, "'\(path)' must end in .sqlite, .db, .jsonl, .csv or .json.")
    }
    try FileSystem.checkOutput(path, "The results")
  }

  /// Whether rows can be appended to a file of this name.
  static func isLog(_ path: String) -> Bool {
    BulkMerge.isDatabase(path) || path.hasSuffix(".jsonl")
  }
}
