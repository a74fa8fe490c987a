// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import StoredRows
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The rows of all parts of a bulk run.
///
/// Rows are sorted in a temporary database on the disk, so memory use doesn't grow with their number.
package final class BulkMerge {
  /// The rows of a model.
  package struct Count: Sendable, Hashable {
    /// The model's identifier.
    package var model: String
    /// The number of rows.
    package var rows = 0
    /// The number of rows that are errors.
    package var failed = 0
    fileprivate var run: String
  }

  /// The counts of each model, in the order of the rows.
  package private(set) var counts: [Count] = []

  private let database: SQLiteConnection
  private let whole: BulkPart

  /// A file with the rows of a part.
  private struct PartFile {
    var path: String
    var part: BulkPart

    var title: String { "Part \(part.index) of \(part.count) ('\(path)')" }
    var command: String { "'\(BulkMerge.command) --part \(part.argument)" }
  }

  private static let command = "tensorio bulk MANIFEST"

  /// Reads the parts, and checks that they belong together and that no row is missing.
  ///
  /// - Parameter paths: The SQLite databases or JSON lines of all parts, in any order.
  /// - Throws: `TensorIOError` that names the part that is missing, incomplete, given twice, or of
  ///   another manifest or model.
  package init(_ paths: [String]) throws {
    let files = try Self.partFiles(paths)
    whole = files[0].part.whole
    // SQLite makes a database without a name in a temporary file, which it removes itself.
    database = try Self.sorting { try SQLiteConnection("", busySeconds: 0) }
    try Self.sorting {
      try database.execute(
        script: "CREATE TABLE rows (model INTEGER, item INTEGER, line TEXT); BEGIN")
    }
    for (position, file) in files.enumerated() { try add(file, after: files.prefix(position)) }
    try Self.sorting { try database.execute(script: "COMMIT") }
    try checkIndices(files)
  }

  /// Opens a log, which is an SQLite database or a file of JSON lines.
  package static func log(_ path: String) throws -> any PartLog {
    try isDatabase(path) ? SQLiteLog(path) : JSONLinesLog(path)
  }

  /// Whether the name of a file of results is that of a database.
  package static func isDatabase(_ path: String) -> Bool {
    path.hasSuffix(".sqlite") || path.hasSuffix(".db")
  }

  // MARK: - Reading

  /// Returns the parts in order.
  private static func partFiles(_ paths: [String]) throws -> [PartFile] {
    var files: [PartFile] = []
    for path in paths {
      try FileSystem.requireFile(path)
      let log = try log(path)
      if let part = try log.storedPart() {
        guard part.isPossible else {
          throw TensorIOError(.unreadableFile, "'\(path)' has an impossible part: \(part).")
        }
        files.append(PartFile(path: path, part: part))
      } else if try !log.isEmpty {
        throw TensorIOError(
          .invalidOption,
          "'\(path)' isn't a part: its run was without a manifest. List the inputs with 'tensorio list', "
            + "and run the parts with '\(command) --part 1/\(max(2, paths.count))'.")
      }
    }
    guard let first = files.first else {
      throw TensorIOError(
        .invalidOption,
        "None of the files has a row. Make the parts with '\(command) --part 1/\(max(2, paths.count))'."
      )
    }
    if let other = files.first(where: { $0.part.whole != first.part.whole }) {
      throw TensorIOError(
        .invalidOption,
        "\(other.title) is of the manifest \(other.part.manifest.prefix(16)) with "
          + "\(counted(other.part.items, "item")), but '\(first.path)' is of \(first.part.manifest.prefix(16)) "
          + "with \(counted(first.part.items, "item")). Run the parts with the same manifest.")
    }
    let records = files.map { PartRecord(index: $0.part.index, count: $0.part.count) }
    return try PartRecord.order(
      records, names: files.map(\.path), required: first.part.items, of: "bulk run",
      command: command
    ).map { files[$0] }
  }

  /// Adds the rows of a part.
  private func add(_ file: PartFile, after others: ArraySlice<PartFile>) throws {
    let part = file.part
    var before = counts.map(\.rows)
    try Self.log(file.path).forEachStoredRow { row, line in
      let result = row.result
      var model = counts.firstIndex { $0.model == result.model }
      if model == nil, let other = others.first {
        throw TensorIOError(
          .invalidOption,
          "\(file.title) has rows of '\(result.model)', but '\(other.path)' doesn't. Run all parts "
            + "with the same models.")
      }
      if model == nil {
        counts.append(Count(model: result.model, run: row.run))
        before.append(0)
        model = counts.count - 1
      }
      guard let model, counts[model].run == row.run else {
        throw TensorIOError(
          .invalidOption,
          "\(file.title) has rows of a different '\(result.model)': the model's file, its preprocessing "
            + "or the settings differ. Run all parts with the same models and options: "
            + "\(file.command) --force'.")
      }
      let index = result.index
      guard index >= 0, index < part.items, index % part.count == part.index - 1 else {
        throw TensorIOError(
          .unreadableFile,
          "\(file.title) is damaged: its row of '\(result.image)' has the index \(index), which isn't in "
            + "this part. Make it again with \(file.command) --force'.")
      }
      counts[model].rows += 1
      if result.error { counts[model].failed += 1 }
      try Self.sorting {
        try database.execute("INSERT INTO rows VALUES (?, ?, ?)", [model, index, line])
      }
    }
    for (count, before) in zip(counts, before) where count.rows - before != part.share {
      throw TensorIOError(
        .invalidOption,
        "\(file.title) has \(count.rows - before) of \(counted(part.share, "row")) of '\(count.model)'. "
          + "Complete it with \(file.command) --resume'.")
    }
  }

  /// Throws if an index occurs twice, in place of another one.
  private func checkIndices(_ files: [PartFile]) throws {
    let query = "SELECT item FROM rows GROUP BY model, item HAVING COUNT(*) > 1 LIMIT 1"
    guard case .integer(let index) = try Self.sorting({ try database.firstValue(query) }) else {
      return
    }
    let owner = files.first { Int(index) % $0.part.count == $0.part.index - 1 } ?? files[0]
    throw TensorIOError(
      .unreadableFile,
      "\(owner.title) is damaged: it has two rows with the index \(index). Make it again with "
        + "\(owner.command) --force'.")
  }

  // MARK: - Writing

  /// Writes all rows to a file, in the format of its extension: first by model, then as in the
  /// manifest.
  ///
  /// - Parameter path: The file, which appears only when it is complete. An existing file is
  ///   replaced.
  /// - Throws: `TensorIOError` if the file can't be written, or if its extension is unknown.
  package func write(to path: String) throws {
    guard !Self.isDatabase(path) else { return try writeDatabase(to: path) }
    guard let format = BulkExport(path: path) else {
      throw TensorIOError(
        .invalidOption, "'\(path)' must end in .sqlite, .db, .jsonl, .csv or .json.")
    }
    try format.write(to: path, of: whole, rows: forEachRow, lines: forEachLine)
  }

  private func writeDatabase(to path: String) throws {
    // The log of a database that is replaced would be taken for that of the new one.
    for end in ["-wal", "-shm"] { try FileSystem.remove(path + end) }
    try AtomicOutput(path, replaces: true).write { fresh in
      let log = try SQLiteLog(fresh)
      try log.begin(whole)
      var batch: [BulkRow] = []
      try forEachRow { row in
        batch.append(row)
        guard batch.count == 1024 else { return }
        try log.append(batch)
        batch.removeAll(keepingCapacity: true)
      }
      try log.append(batch)
      try log.flush()
    }
  }

  private func forEachRow(_ body: (BulkRow) throws -> Void) throws {
    try forEachLine { try body(BulkRow($0, of: nil)) }
  }

  private func forEachLine(_ body: (String) throws -> Void) throws {
    try Self.sorting {
      try database.forEachRow("SELECT line FROM rows ORDER BY model, item") { row in
        try body(CheckedRow(row, of: "rows", key: []).text("line"))
      }
    }
  }

  private static func sorting<Result>(_ work: () throws -> Result) throws -> Result {
    do {
      return try work()
    } catch let error as SQLiteError {
      throw TensorIOError(
        .unwritableFile,
        "The rows can't be sorted in a temporary database: \(error.message). SQLITE_TMPDIR can name a "
          + "folder with more room.", cause: error)
    }
  }
}

extension BulkExport {
  /// The format of a file's extension, or nil if it is none.
  package init?(path: String) {
    guard let format = Self.allCases.first(where: { path.hasSuffix("." + $0.rawValue) }) else {
      return nil
    }
    self = format
  }
}
