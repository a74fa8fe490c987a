// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

extension DatasetReader {
  /// Reads a table of images and labels, or one of the values that a model takes.
  func readTable() throws -> Dataset {
    let table = try DelimitedText(contentsOf: path)
    if let rows = RowTable(table, isCertain: false) { return try readRows(rows) }
    return try TableReader(table, reader: self).dataset()
  }

  /// Reads a table of the values that a model takes.
  func readRows() throws -> Dataset {
    let lowercased = path.lowercased()
    if [".jsonl", ".ndjson"].contains(where: lowercased.hasSuffix) {
      return try readRows(RowTable(jsonLines: path))
    }
    let table = try DelimitedText(contentsOf: path)
    guard let rows = RowTable(table, isCertain: true) else {
      throw TensorIOError(
        .wrongKind,
        "'\(path)' needs a first line with the names of the columns, and a row for each sample.")
    }
    return try readRows(rows)
  }

  /// Reads the labels of a table as those of images.
  private func readRows(_ table: RowTable) throws -> Dataset {
    var dataset = try TableReader(table.labels, reader: self).dataset()
    dataset.layout = .rows
    for index in dataset.samples.indices {
      dataset.samples[index].source = .row(
        table.rows[index], name: "\(dataset.samples[index].id) of '\(path)'")
    }
    let labels = table.labels.rows[0].cells.dropFirst().map { "'\($0)'" }
    dataset.notes[0] =
      "read as a table of \(counted(dataset.samples.count, "row")), "
      + (labels.isEmpty
        ? "without a label, because no column is named 'label'"
        : "with labels from \(labels.joined(separator: ", "))")
    return dataset
  }
}

/// Converts a table's rows to a dataset.
///
/// A column with a known name, such as "label", has the labels. Without one, a single column has
/// labels or, if it has fractions or is numeric with another name, values to predict. Several
/// columns must all be numeric, and are values to predict.
struct TableReader {
  private let table: DelimitedText
  private let reader: DatasetReader
  private let header: [String]?
  private let rows: ArraySlice<DelimitedText.Row>
  private var pathColumn = 0

  static let pathNames: Set = [
    "path", "file", "filename", "file_name", "filepath", "file_path", "image", "image_path",
    "image_name", "img", "picture", "photo",
  ]
  static let labelNames: Set = [
    "label", "labels", "class", "class_name", "classname", "class_id", "category", "target",
    "truth",
  ]

  init(_ table: DelimitedText, reader: DatasetReader) throws {
    self.table = table
    self.reader = reader
    guard let first = table.rows.first else {
      throw TensorIOError(
        .wrongKind, "'\(reader.path)' has no rows. Each row of a table has a path and a label.")
    }
    let names = first.cells.map { $0.lowercased() }
    let hasHeader = Self.isHeader(names, before: table.rows.dropFirst())
    header = hasHeader ? first.cells : nil
    rows = hasHeader ? table.rows.dropFirst() : table.rows[...]
    guard let sample = rows.first else {
      throw TensorIOError(.wrongKind, "'\(reader.path)' has a header but no rows.")
    }
    let named = hasHeader ? names.indices.filter { Self.pathNames.contains(names[$0]) } : []
    guard named.count < 2 else {
      throw table.error(
        first.line,
        "the columns '\(first.cells[named[0]])' and '\(first.cells[named[1]])' could both be the "
          + "path; rename one")
    }
    let image = sample.cells.firstIndex { ImageFolder.isSample($0) }
    pathColumn = named.first ?? image ?? 0
    try checkPaths(isCertain: named.first != nil || image != nil)
  }

  /// File name extensions of data that isn't an image.
  private static let dataExtensions: Set = [
    "npz", "csv", "tsv", "txt", "json", "jsonl", "bin", "raw", "dat", "mp3",
    "m4a", "h5", "hdf5", "mat", "pkl", "pt", "pth", "pb", "parquet", "tfrecord", "mp4",
    "mov", "avi", "pdf",
  ]

  /// Throws if the paths clearly aren't images, so that one error is reported instead of one per
  /// row.
  private func checkPaths(isCertain: Bool) throws {
    let paths = rows.lazy.map { $0.cells[pathColumn] }.filter { !$0.isEmpty }
    guard let first = paths.first else { return }
    let advice =
      "Datasets consist of images, recordings or NumPy files, or of rows whose columns have names. "
      + "To run a model on other data, use 'tensorio run'."
    if paths.allSatisfy({ Self.dataExtensions.contains(Self.fileExtension($0)) }) {
      throw TensorIOError(
        .wrongKind,
        "'\(reader.path)' lists \(counted(paths.count, "file")) such as '\(first)', which "
          + "\(paths.count == 1 ? "is not an image or recording" : "are not images or recordings"). "
          + advice)
    }
    // The first row isn't checked, because it can be a header that wasn't recognized.
    let numbers = paths.dropFirst().compactMap(Self.number)
    if !isCertain, numbers.count == paths.count - 1, let number = paths.last,
      Self.number(number) != nil
    {
      throw TensorIOError(
        .wrongKind,
        "'\(reader.path)' has numbers, such as '\(number)', where a table needs image paths. "
          + advice)
    }
  }

  private static func fileExtension(_ path: String) -> String {
    let name = FileSystem.name(of: path)
    return name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
  }

  /// Whether the first row is a header.
  ///
  /// It is one if it has a known name for paths, or if it has no image paths but later rows do.
  private static func isHeader(
    _ names: [String], before rows: ArraySlice<DelimitedText.Row>
  ) -> Bool {
    if names.contains(where: ImageFolder.isSample) { return false }
    if names.contains(where: pathNames.contains) { return true }
    return rows.contains { $0.cells.contains(where: ImageFolder.isSample) }
  }

  func dataset() throws -> Dataset {
    let truths = try self.truths()
    let folder = reader.options.imagesFolder ?? FileSystem.folder(of: reader.path)
    var lines: [ExactName: Int] = [:]
    var samples: [Sample] = []
    for (row, truth) in zip(rows, truths.values) {
      let path = row.cells[pathColumn]
      guard !path.isEmpty else { throw table.error(row.line, "the path is empty") }
      if let first = lines.updateValue(row.line, forKey: ExactName(path)) {
        throw table.error(row.line, "'\(path)' is already on line \(first)")
      }
      samples.append(Sample(id: path, source: source(path, in: folder), truth: truth))
    }
    let content = samples.first.map { Dataset.Content(ofFile: $0.id) } ?? .images
    var notes = [
      "read as a table \(header == nil ? "without" : "with") a header: "
        + "\(content.counted(samples.count)), \(truths.note)"
    ]
    let unlabelled = samples.count { $0.truth == nil }
    if unlabelled > 0, unlabelled < samples.count {
      notes.append("\(content.counted(unlabelled)) without a label")
    }
    return Dataset(
      layout: .csv, name: reader.name, path: reader.path, samples: samples,
      notes: notes + truths.notes)
  }

  private func source(_ path: String, in folder: String) -> ImageSource {
    if ObjectAddress.isAddress(path) { return .url(path) }
    return .file(path.hasPrefix("/") ? path : folder + "/" + path)
  }

  // MARK: - Labels

  private struct Truths {
    var values: [GroundTruth?]
    var note: String
    var notes: [String] = []
  }

  private func truths() throws -> Truths {
    let columns = table.rows[0].cells.indices.filter { $0 != pathColumn }
    guard !columns.isEmpty else {
      return Truths(values: rows.map { _ in nil }, note: "no labels")
    }
    let labels = columns.filter { column in
      header.map { Self.labelNames.contains($0[column].lowercased()) } ?? false
    }
    if labels.count > 1 {
      throw table.error(
        table.rows[0].line,
        "the columns \(names(labels)) could both be the label; rename or remove one")
    }
    if let label = labels.first {
      var truths = try single(label, isNamed: true)
      let others = columns.filter { $0 != label }
      if !others.isEmpty { truths.notes.append("left out: \(names(others))") }
      return truths
    }
    if columns.count == 1 { return try single(columns[0], isNamed: false) }
    if columns.allSatisfy(isNumeric) { return try values(columns) }
    throw table.error(
      table.rows[0].line,
      "it isn't clear which of \(names(columns)) is the label; name that column 'label'")
  }

  private func single(_ column: Int, isNamed: Bool) throws -> Truths {
    // Whole numbers in a column that isn't named like a label, such as "age", aren't classes.
    let isValue =
      isNumeric(column)
      && (hasFraction(column) || (header != nil && !isNamed))
    if isValue { return try values([column]) }
    return Truths(
      values: rows.map { $0.cells[column].isEmpty ? nil : .label($0.cells[column]) },
      note: "labels from \(names([column]))")
  }

  private func values(_ columns: [Int]) throws -> Truths {
    let values = try rows.map { row -> GroundTruth? in
      let cells = columns.map { row.cells[$0] }
      if cells.allSatisfy(\.isEmpty) { return nil }
      return .values(
        try zip(columns, cells).map { column, cell in
          guard let number = Self.number(cell) else {
            throw table.error(
              row.line, "\(names([column])) needs a finite number, got '\(cell)'")
          }
          return number
        })
    }
    return Truths(values: values, note: "values to predict from \(names(columns))")
  }

  private func isNumeric(_ column: Int) -> Bool {
    var hasNumber = false
    for row in rows where !row.cells[column].isEmpty {
      guard Self.number(row.cells[column]) != nil else { return false }
      hasNumber = true
    }
    return hasNumber
  }

  private func hasFraction(_ column: Int) -> Bool {
    rows.contains { row in row.cells[column].contains { ".eE".contains($0) } }
  }

  /// Parses a finite decimal number, but no words such as `nan`, which Swift also accepts.
  static func number(_ text: String) -> Double? {
    guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let number = Double(text),
      number.isFinite
    else { return nil }
    return number
  }

  private func names(_ columns: [Int]) -> String {
    columns.map { column in header.map { "'\($0[column])'" } ?? "column \(column + 1)" }
      .joined(separator: ", ")
  }
}
