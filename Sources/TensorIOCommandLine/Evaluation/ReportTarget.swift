// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Files
import ModelCommands
import NetRunner
import TensorIO

/// The options of `evaluate` and `merge` for what becomes of a report.
struct ReportArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Write a report: .json, .csv, .xml (JUnit) or .html; may be repeated.", valueName: "file"),
    completion: .file(extensions: ["json", "csv", "xml", "html"]))
  var report: [String] = []

  @Option(
    help: ArgumentHelp(
      "Exit with code 1 unless a number is met, such as top1=0.7 or latency_p95<=20; may be "
        + "repeated.", valueName: "name=number"))
  var failUnder: [Gate] = []

  @Flag(help: "Print the report as JSON.")
  var json = false

  /// Returns the files, which are checked before an evaluation takes time.
  func targets(part: PartRecord? = nil) throws -> [ReportTarget] {
    try report.map { try ReportTarget(part?.naming($0) ?? $0) }
  }

  func check(_ report: EvaluationReport) throws -> [GateResult] {
    try failUnder.flatMap { try $0.check(report) }
  }
}

/// A file to write a report to, in the format of its extension.
struct ReportTarget {
  private enum Format: String {
    case json, csv, xml, html
  }

  private let path: String
  private let format: Format

  var showsImages: Bool { format == .html }

  /// - Throws: `TensorIOError` for an extension that isn't a known format, or a folder that is
  ///   missing.
  init(_ path: String) throws {
    let fileExtension = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
    guard let format = Format(rawValue: fileExtension) else {
      throw TensorIOError(
        .invalidOption, "'\(path)' must end in .json, .csv, .xml (JUnit) or .html.")
    }
    try FileSystem.checkOutput(path, "A report")
    self.path = path
    self.format = format
  }

  /// Writes the report.
  ///
  /// The HTML report shows the dataset's wrongly predicted images. The suffix distinguishes the
  /// files of several datasets.
  func write(
    _ report: EvaluationReport, _ gates: [GateResult], of dataset: Dataset?, suffix: String?
  ) throws {
    let file = ReportFile(path(suffix: suffix))
    switch format {
    case .json: try file.write(report.json())
    case .csv: try file.write(report.csv())
    case .xml: try file.write(report.junit(gates: gates))
    case .html:
      let images = dataset.map { ReportImages($0) }
      try file.write(HTMLReport(report, images: images, gates: gates).text())
    }
    Console.printMessage("report: \(file.path)")
  }

  private func path(suffix: String?) -> String {
    guard let suffix else { return path }
    let safe = String(suffix.map { $0 == "/" ? "-" : $0 })
    return path.dropLast(format.rawValue.count + 1) + "-\(safe).\(format.rawValue)"
  }
}

extension FileSystem {
  /// Checks where a file is to be written, before hours of work for its content.
  static func checkOutput(_ path: String, _ content: String) throws {
    let folder = folder(of: path)
    guard isFolder(folder) else {
      throw TensorIOError(.fileNotFound, "There is no folder '\(folder)' for '\(path)'.")
    }
    guard !isFolder(path) else {
      throw TensorIOError(.invalidOption, "'\(path)' is a folder. \(content) must be a file.")
    }
    // Links, pipes and devices such as /dev/stdout are written directly.
    let status = try? FileStatus(of: path, followsLinks: false)
    if status?.kind ?? .file == .file { try checkWritable(folder: folder) }
  }
}
