// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ModelCommands
import NetRunner
import TensorIO

extension LabelCommand {
  /// The command `tensorio label find-moved`.
  struct FindMovedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "find-moved", abstract: "Find moved photos by their contents.")

    @OptionGroup var file: StoreArgument

    @Argument(
      help: "The folder to search (default: the folder that the store's paths are relative to).",
      completion: .directory)
    var folder: String?

    func run() throws {
      for (from, to) in try file.open().findMoved(in: folder) {
        Console.printData("\(from.printable) -> \(to.printable)")
      }
    }
  }

  /// The command `tensorio label import`.
  struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "import",
      abstract: "Import the labels of a folder of classes, a table or a test bundle.",
      discussion: "'tensorio label undo' undoes the whole import.")

    @OptionGroup var file: StoreArgument

    @Argument(help: "A folder with a folder for each class, a .csv or a .testbundle.")
    var path: String

    @Option(name: .long, help: "The model's identifier.")
    var model: String

    @Option(
      name: .long,
      help: "The folder that paths in a new store are relative to (default: the store's folder).",
      completion: .directory)
    var root: String?

    @Flag(name: .long, help: "Print JSON.")
    var json = false

    func run() throws {
      let dataset = try Dataset(contentsOf: path)
      for note in dataset.notes { Console.printMessage("note: \(note.printable)") }
      let store = try LabelStore(path: file.store, root: root)
      let read = try store.importLabels(from: dataset, for: model)
      try read.report(as: "imported", json: json)
    }
  }

  /// The command `tensorio label export`.
  struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export", abstract: "Write a model's labels for other programs.",
      discussion: """
        A .testbundle has the photos and a test.json, which 'tensorio evaluate' reads. A .zip has \
        the photos and a labels.json. A .csv has only paths and labels. Photos that are missing or \
        have changed are left out.
        """)

    @OptionGroup var file: StoreArgument

    @Option(name: .long, help: "The model's identifier.")
    var model: String

    @Option(
      name: .long, help: "The file to write: a .testbundle, a .zip or a .csv.", completion: .file())
    var to: String

    @Flag(name: .long, help: "Replace an existing file.")
    var replace = false

    @Option(
      name: .long,
      help: "The output that the labels belong to (default: classification; for numbers, values).")
    var output: String?

    @Option(
      name: .long,
      help: "The test bundle's metric (default: EvaluationMetricAccuracyTop5 or regression).")
    var metric: String?

    @Flag(name: .long, help: "Print JSON.")
    var json = false

    func run() throws {
      var options = LabelExportOptions(replaces: replace)
      options.output = output
      options.metric = metric
      let written = try file.open().export(model, to: to, options: options)
      try written.report(as: "written to '\(to)'", json: json)
    }
  }
}

extension LabelTransfer {
  fileprivate func report(as verb: String, json: Bool) throws {
    for note in notes { Console.printMessage("note: \(note.printable)") }
    if json {
      try Console.printJSON(
        .object([
          "labels": .number(Double(count)), "notes": .array(notes.map(JSONValue.string)),
        ]))
    } else {
      Console.printMessage("\(count) label\(count == 1 ? "" : "s") \(verb.printable)")
    }
  }
}
