// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension LabelStore {
  /// Exports a model's labels as a `.testbundle`, a `.csv` or a `.zip`.
  ///
  /// The export either succeeds completely or writes nothing. Photos that are missing, or whose
  /// bytes have changed since they were labelled, are left out and noted.
  @discardableResult
  package func export(
    _ model: String, to destination: String, options: LabelExportOptions = LabelExportOptions()
  ) throws -> LabelTransfer {
    let format = try options.format ?? Self.format(of: destination)
    let output = try AtomicOutput(destination, replaces: options.replaces)
    let (photos, notes) = try present(model)
    switch format {
    case .testBundle:
      try output.write { try writeTestBundle(photos, model, destination, options, into: $0) }
    case .csv: try output.write { try writeTable(photos, to: $0) }
    case .zip: try output.write { try writeZip(photos, options, to: $0) }
    }
    return LabelTransfer(count: photos.count, notes: notes)
  }

  private static func format(of path: String) throws -> LabelExportOptions.Format {
    let name = FileSystem.name(of: path).lowercased()
    if let format = LabelExportOptions.Format.allCases.first(where: {
      name.hasSuffix(".\($0.rawValue)")
    }) {
      return format
    }
    throw TensorIOError(
      .invalidOption,
      "The name '\(path)' doesn't say what to write. It must end with .testbundle, .csv or .zip.")
  }

  /// The labelled photos that haven't changed, and notes about the others.
  private func present(_ model: String) throws -> (photos: [LabelledPhoto], notes: [String]) {
    let all = try labels(for: model)
    var photos: [LabelledPhoto] = []
    var others: [LabelledPhoto.State: [String]] = [:]
    for photo in all {
      let state = try state(of: photo)
      if state == .present {
        photos.append(photo)
      } else {
        others[state, default: []].append(photo.path)
      }
    }
    var notes: [String] = []
    for (state, verb) in [
      (LabelledPhoto.State.missing, "missing"), (.changed, "not the images that were labelled"),
    ] {
      guard let paths = others[state], let first = paths.first else { continue }
      notes.append(
        "left out: \(counted(paths.count, "photo")) that are \(verb), such as '\(first)'")
    }
    guard !photos.isEmpty else {
      throw TensorIOError(
        .fileNotFound,
        all.isEmpty
          ? "'\(path)' has no labels for the model '\(model)'."
          : "None of the \(all.count) labelled photos can be written: "
            + notes.joined(separator: "; ") + ".")
    }
    return (photos, notes)
  }

  // MARK: - Images

  /// The photos' paths in the export: `images/` followed by the path relative to the root.
  private func names(of photos: [LabelledPhoto]) -> [String] {
    var taken: Set<String> = []
    return photos.map { photo in
      let isOutside = photo.path.hasPrefix("/")
      let wanted = "images/" + (isOutside ? FileSystem.name(of: photo.path) : photo.path)
      var name = wanted
      var number = 2
      while !taken.insert(name).inserted {
        name = "images/\(number)-" + wanted.dropFirst("images/".count)
        number += 1
      }
      return name
    }
  }

  private func output(_ photo: LabelledPhoto, _ options: LabelExportOptions) -> String {
    if let output = options.output { return output }
    guard case .text = photo.label else { return "values" }
    return "classification"
  }

  // MARK: - Test bundles

  private func writeTestBundle(
    _ photos: [LabelledPhoto], _ model: String, _ destination: String,
    _ options: LabelExportOptions, into folder: String
  ) throws {
    let files = FileManager.default
    let names = names(of: photos)
    for (photo, name) in zip(photos, names) {
      let copy = folder + "/" + name
      try files.createDirectory(
        atPath: FileSystem.folder(of: copy), withIntermediateDirectories: true)
      // For a symbolic link, copy the file that it points to.
      let fullPath = fullPath(of: photo.path)
      try files.copyItem(atPath: FileOperations.realPath(fullPath) ?? fullPath, toPath: copy)
    }
    let hasText = photos.contains { if case .text = $0.label { true } else { false } }
    let name = FileSystem.name(of: destination).split(separator: ".").first.map(String.init)
    let document = OrderedJSON.object([
      ("name", .string(name ?? model)), ("id", .string(name ?? model)), ("version", .string("1")),
      ("models", .strings([model])),
      (
        "options",
        .object([
          ("iterations", .integer(1)),
          (
            "metric",
            .string(options.metric ?? (hasText ? "EvaluationMetricAccuracyTop5" : "regression"))
          ),
        ])
      ),
      (
        "images",
        .array(names.map { .object([("type", .string("file")), ("path", .string($0))]) })
      ),
      (
        "labels",
        .array(
          zip(photos, names).map { photo, name in
            .object([
              ("path", .string(name)),
              (
                "inference_results",
                .object([(output(photo, options), Self.testValue(photo.label))])
              ),
            ])
          })
      ),
    ])
    try Data(document.text.utf8).write(to: URL(filePath: folder + "/test.json"))
  }

  private static func testValue(_ label: PhotoLabel) -> OrderedJSON {
    switch label {
    case .text(let text): .object([(text, .integer(1))])
    case .numbers(let numbers): value(.numbers(numbers))
    }
  }

  private static func value(_ label: PhotoLabel) -> OrderedJSON {
    switch label {
    case .text(let text): .string(text)
    case .numbers(let numbers):
      numbers.count == 1 ? .double(numbers[0]) : .array(numbers.map(OrderedJSON.double))
    }
  }

  // MARK: - Zip files

  /// Writes a zip file with the photos and a labels.json.
  ///
  /// labels.json is an array of objects. Each one has the photo's path under `id` and the label
  /// under the output's name.
  private func writeZip(
    _ photos: [LabelledPhoto], _ options: LabelExportOptions, to path: String
  ) throws {
    let names = names(of: photos)
    let zipFile = try ZipWriter(path)
    let document = OrderedJSON.array(
      zip(photos, names).map { photo, name in
        .object([
          ("id", .string(name)), (output(photo, options), Self.value(photo.label)),
        ])
      })
    try zipFile.add(Array(document.text.utf8), named: "labels.json")
    for (photo, name) in zip(photos, names) {
      try zipFile.addFile(fullPath(of: photo.path), named: name)
    }
    try zipFile.close()
  }

  // MARK: - Tables

  private func writeTable(_ photos: [LabelledPhoto], to path: String) throws {
    let folder = FileOperations.realPath(FileSystem.folder(of: path)) ?? root
    var header = "path,label"
    if case .numbers(let first) = photos.first?.label {
      header = "path" + first.indices.map { ",value\($0 + 1)" }.joined()
    }
    var text = header + "\n"
    var paths: [String] = []
    for photo in photos {
      let relative = fullPath(of: photo.path).path(from: folder)
      paths.append(relative)
      let cells =
        switch photo.label {
        case .text(let text): [text]
        case .numbers(let numbers): numbers.map(\.description)
        }
      text += ([relative] + cells).map(Self.cell).joined(separator: ",") + "\n"
    }
    try Data(text.utf8).write(to: URL(filePath: path))
    try check(path, paths, photos)
  }

  /// Reads the table back to check that it has the same labels.
  ///
  /// A table tells text from numbers only by how a label is written, so some labels would be read
  /// differently.
  private func check(_ path: String, _ paths: [String], _ photos: [LabelledPhoto]) throws {
    var reason = "a table holds only texts, or the same number of numbers for each photo"
    do {
      let dataset = try Dataset(contentsOf: path, layout: .csv)
      let isSame =
        dataset.samples.map(\.id) == paths
        && dataset.samples.map(\.truth) == photos.map(\.label.truth)
      if isSame { return }
      reason += ", and it can't hold texts that look like numbers with fractions"
    } catch is TensorIOError {}
    throw TensorIOError(
      .wrongKind,
      "The labels cannot be written as a table: \(reason). Write a .testbundle or a .zip.")
  }

  private static func cell(_ text: String) -> String {
    let isPlain =
      text.utf8.allSatisfy { !",;\t\"\r\n".utf8.contains($0) } && text.utf8.first != 0x20
      && text.utf8.last != 0x20
    return isPlain ? text : CSV.quoted(text)
  }
}

extension String {
  /// This path relative to a folder.
  ///
  /// Both must be absolute paths without symbolic links.
  func path(from folder: String) -> String {
    let target = split(separator: "/")
    let origin = folder.split(separator: "/")
    let common = zip(target, origin).prefix { $0 == $1 }.count
    let parts =
      Array(repeating: "..", count: origin.count - common) + target.dropFirst(common)
    return parts.isEmpty ? "." : parts.joined(separator: "/")
  }
}

package struct LabelExportOptions: Sendable, Hashable {
  /// The format, or nil if the path's extension decides.
  package var format: Format?
  package var replaces = false
  /// The output that the labels belong to; by default `classification` for text, otherwise
  /// `values`.
  package var output: String?
  /// The test bundle's metric; by default `EvaluationMetricAccuracyTop5` for text, otherwise
  /// `regression`.
  package var metric: String?

  package init(format: Format? = nil, replaces: Bool = false) {
    self.format = format
    self.replaces = replaces
  }

  package enum Format: String, Sendable, CaseIterable {
    /// A `.testbundle` folder with a test.json and the photos.
    case testBundle = "testbundle"
    case csv
    /// A zip file with a labels.json and the photos, in the format that Net Runner has always
    /// exported.
    case zip
  }
}

package struct LabelTransfer: Sendable, Hashable {
  package var count: Int
  /// Human-readable notes about what was left out.
  package var notes: [String]
}
