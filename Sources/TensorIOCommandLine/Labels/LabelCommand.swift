// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ModelCommands
import ModelTools
import NetRunner
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct LabelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "label", abstract: "Label photos, and export the labels.",
    discussion: """
      STORE is a file that keeps labels, which are texts or numbers, separately for each model. \
      Photos are identified by their paths and their contents. Paths are relative to the store's \
      folder.

      Examples:
        tensorio label set labels.sqlite mobilenet-v2 photos/01.jpg 'rocking chair'
        tensorio label set labels.sqlite ages photos/01.jpg '[42]'
        tensorio label import labels.sqlite photos-by-class --model mobilenet-v2
        tensorio label export labels.sqlite --model mobilenet-v2 --to chairs.testbundle
      """,
    subcommands: [
      SetCommand.self, ListCommand.self, RemoveCommand.self, UndoCommand.self,
      FindMovedCommand.self, ImportCommand.self, ExportCommand.self,
    ])

  struct StoreArgument: ParsableArguments {
    @Argument(help: "The file that keeps the labels.", completion: .file())
    var store: String

    /// Opens the file, and throws an error if it is missing.
    func open() throws -> LabelStore { try LabelStore(path: store, creates: false) }
  }

  struct PhotoArguments: ParsableArguments {
    @OptionGroup var file: StoreArgument

    @Argument(help: "The model's identifier, from its model.json.")
    var model: String

    @Argument(help: "The photo.", completion: .file())
    var photo: String
  }
}

extension LabelCommand {
  struct SetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Set a photo's label, replacing any label that it has.")

    @OptionGroup var target: PhotoArguments

    @Argument(help: "A text, or numbers as a JSON array, such as '[0.5, 2]'.")
    var label: String

    @Flag(help: "Read the label as text, even if it begins with a bracket.")
    var text = false

    @Option(
      help: "The folder that paths in a new store are relative to (default: the store's folder).",
      completion: .directory)
    var root: String?

    func run() throws {
      // `Program` puts a space before a negative number so that the parser doesn't take it for an
      // option.
      let word = label.hasPrefix(" -") ? String(label.dropFirst()) : label
      let label = try text ? .text(word) : PhotoLabel(argument: word)
      try LabelStore(path: target.file.store, root: root)
        .setLabel(label, of: target.photo, for: target.model)
    }
  }

  struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Print labels, or the number of labels of each model.",
      discussion: """
        With --model, prints each photo's path, label and state: present, changed (the file has \
        other contents now) or missing.
        """)

    @OptionGroup var file: StoreArgument

    @Option(help: "The model's identifier.")
    var model: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
      let store = try file.open()
      if let model {
        try printLabels(
          store.labels(for: model).map { (photo: $0, state: try store.state(of: $0)) })
      } else {
        try printCounts(store.countsByModel.sorted { $0.key < $1.key })
      }
    }

    private func printLabels(
      _ photos: [(photo: LabelledPhoto, state: LabelledPhoto.State)]
    ) throws {
      if json {
        return try Console.printJSON(
          .array(
            photos.map { photo, state in
              .object([
                "path": .string(photo.path), "label": photo.label.json,
                "sha256": .string(photo.sha256), "state": .string(state.rawValue),
              ])
            }))
      }
      var table = TextTable(headings: ["photo", "label", "state"])
      for (photo, state) in photos {
        table.append(photo.path, "\(photo.label)", state == .present ? "" : state.rawValue)
      }
      if !photos.isEmpty { Console.printTable(table) }
    }

    private func printCounts(_ counts: [(key: String, value: Int)]) throws {
      if json {
        return try Console.printJSON(
          .object(Dictionary(counts.map { ($0.key, .number(Double($0.value))) }) { $1 }))
      }
      for (model, count) in counts {
        Console.printData("\(model.printable): \(counted(count, "label"))")
      }
    }
  }

  struct RemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove a photo's label.",
      discussion: "PHOTO can also be the path that 'list' prints.")

    @OptionGroup var target: PhotoArguments

    func run() throws {
      let (photo, model) = (target.photo, target.model)
      guard try target.file.open().removeLabel(of: photo, for: model) else {
        throw TensorIOError(
          .fileNotFound,
          "'\(photo)' has no label for the model '\(model)' in '\(target.file.store)'.")
      }
    }
  }

  struct UndoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "undo", abstract: "Undo the last change, or the last import.")

    @OptionGroup var file: StoreArgument

    @Option(help: "Only undo changes of this model's labels.")
    var model: String?

    func run() throws {
      let changes = try file.open().undo(for: model)
      for change in changes.reversed() {
        let label = change.before.map { "'\($0)' restored" } ?? "label removed"
        Console.printMessage("\(change.photo.printable): \(label.printable)")
      }
      if changes.isEmpty { Console.printMessage("nothing to undo") }
    }
  }
}

extension PhotoLabel {
  fileprivate init(argument: String) throws {
    guard argument.first == "[" else {
      self = .text(argument)
      return
    }
    var numbers: [Double]?
    if case .array(let elements)? = try? JSONValue(parsing: Data(argument.utf8)) {
      numbers = elements.compactMap { if case .number(let number) = $0 { number } else { nil } }
      if numbers?.count != elements.count { numbers = nil }
    }
    guard let numbers else {
      throw TensorIOError(
        .wrongKind,
        "'\(argument)' isn't a JSON array of numbers. To use it as text, pass --text.")
    }
    self = .numbers(numbers)
  }

  fileprivate var json: JSONValue {
    switch self {
    case .text(let text): .string(text)
    case .numbers(let numbers): .array(numbers.map(JSONValue.number))
    }
  }
}

extension LabelCommand {
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

  struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "import",
      abstract: "Import the labels of a folder of classes, a table or a test bundle.",
      discussion: "'tensorio label undo' undoes the whole import.")

    @OptionGroup var file: StoreArgument

    @Argument(help: "A folder with a folder for each class, a .csv or a .testbundle.")
    var path: String

    @Option(help: "The model's identifier.")
    var model: String

    @Option(
      help: "The folder that paths in a new store are relative to (default: the store's folder).",
      completion: .directory)
    var root: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
      let dataset = try Dataset(contentsOf: path)
      for note in dataset.notes { Console.printMessage("note: \(note.printable)") }
      let store = try LabelStore(path: file.store, root: root)
      let read = try store.importLabels(from: dataset, for: model)
      try read.report(as: "imported", json: json)
    }
  }

  struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export", abstract: "Write a model's labels for other programs.",
      discussion: """
        A .testbundle has the photos and a test.json, which 'tensorio evaluate' reads. A .zip has \
        the photos and a labels.json. A .csv has only paths and labels. Photos that are missing or \
        have changed are left out.
        """)

    @OptionGroup var file: StoreArgument

    @Option(help: "The model's identifier.")
    var model: String

    @Option(help: "The file to write: a .testbundle, a .zip or a .csv.", completion: .file())
    var to: String

    @Flag(help: "Replace an existing file.")
    var replace = false

    @Option(
      help: "The output that the labels belong to (default: classification; for numbers, values).")
    var output: String?

    @Option(help: "The test bundle's metric (default: EvaluationMetricAccuracyTop5 or regression).")
    var metric: String?

    @Flag(help: "Print JSON.")
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
      try Console.printJSON(.object(["labels": .number(Double(count)), "notes": .strings(notes)]))
    } else {
      Console.printMessage("\(counted(count, "label")) \(verb.printable)")
    }
  }
}
