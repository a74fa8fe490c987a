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
///
/// The rows of an archive have the archive's index in the manifest. The merged rows are numbered as
/// those of one run are, without the rows that end archives.
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
  /// The part that the merged rows are.
  private var whole: BulkPart
  /// Whether rows are of archives, so that all rows get new indices.
  private var hasArchives = false

  /// A file with the rows of a part.
  private struct PartFile {
    var path: String
    var part: BulkPart

    /// The index that rows stay below.
    var limit: Int { part.rows ?? part.items }

    /// The index of a row's item, or of the row itself after merging.
    func contains(_ index: Int) -> Bool {
      index >= 0 && index < limit && (part.rows != nil || index % part.count == part.index - 1)
    }

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
    whole.rows = files[0].part.rows
    // SQLite makes a database without a name in a temporary file, which it removes itself.
    database = try Self.sorting { try SQLiteConnection("", busySeconds: 0) }
    try Self.sorting {
      try database.execute(
        script: "CREATE TABLE rows (model INTEGER, item INTEGER, member INTEGER, line TEXT); BEGIN")
    }
    for (position, file) in files.enumerated() { try add(file, after: files.prefix(position)) }
    try Self.sorting { try database.execute(script: "COMMIT") }
    try checkIndices(files)
    if hasArchives { whole.rows = counts.reduce(0) { $0 + $1.rows } }
  }

  /// Opens a log, which is an SQLite database or a file of JSON lines.
  ///
  /// An existing file is removed first if it is replaced and no other run writes to it.
  package static func log(_ path: String, replacing: Bool = false) throws -> any PartLog {
    try isDatabase(path)
      ? SQLiteLog(path, replacing: replacing) : JSONLinesLog(path, replacing: replacing)
  }

  /// Whether the name of a file of results is that of a database.
  package static func isDatabase(_ path: String) -> Bool {
    path.hasSuffix(".sqlite") || path.hasSuffix(".db")
  }

  // MARK: - Reading

  /// Returns the parts in order.
  private static func partFiles(_ paths: [String]) throws -> [PartFile] {
    var files: [PartFile] = []
    var empty: [String] = []
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
      } else {
        empty.append(path)
      }
    }
    guard let first = files.first else {
      throw TensorIOError(
        .invalidOption,
        "None of the files \(quotedList(paths)) has a row. Make the parts with '\(command) --part 1/\(max(2, paths.count))'."
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
    do {
      return try PartRecord.order(
        records, names: files.map(\.path), required: first.part.items, of: "bulk run",
        command: command
      ).map { files[$0] }
    } catch let error as TensorIOError where !empty.isEmpty {
      // A file without rows doesn't say which part it is.
      throw TensorIOError(
        error.code,
        error.message + " \(quotedList(empty)) \(empty.count == 1 ? "has" : "have") no rows.",
        cause: error)
    }
  }

  /// Adds the rows of a part.
  private func add(_ file: PartFile, after others: ArraySlice<PartFile>) throws {
    var tallies = counts.map { _ in Tally() }
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
        tallies.append(Tally())
        model = counts.count - 1
      }
      guard let model, counts[model].run == row.run else {
        throw TensorIOError(
          .invalidOption,
          "\(file.title) has rows of a different '\(result.model)': its model.json, its files, the "
            + "settings or the version of the program differ. Run all parts with the same ones: "
            + "\(file.command) --force'.")
      }
      let index = result.index
      guard file.contains(index) else {
        throw TensorIOError(
          .unreadableFile,
          "\(file.title) is damaged: its row of '\(result.image)' has the index \(index), which isn't in "
            + "this part. Make it again with \(file.command) --force'.")
      }
      tallies[model].add(row)
      hasArchives = hasArchives || row.place != nil
      if !row.isEnd { counts[model].rows += 1 }
      if result.error { counts[model].failed += 1 }
      let member: Int =
        switch row.place {
        case nil: -1
        case .member(let member): member
        case .end: .max
        }
      try Self.sorting {
        try database.execute(
          "INSERT INTO rows VALUES (?, ?, ?, ?)", [model, index, member, row.isEnd ? nil : line])
      }
    }
    for (count, tally) in zip(counts, tallies) where file.part.rows == nil {
      try check(tally, of: count.model, in: file)
    }
    if let rows = file.part.rows, rows != tallies.reduce(0, { $0 + $1.rows }) {
      throw TensorIOError(
        .unreadableFile,
        "'\(file.path)' is damaged: it had \(counted(rows, "row")) when it was merged, but now it has "
          + "\(tallies.reduce(0) { $0 + $1.rows }). Merge the parts again.")
    }
  }

  /// The rows of a model in a part.
  private struct Tally {
    /// The number of rows.
    var rows = 0
    /// The rows of each archive, by its index, and their number that its last row has.
    var archives: [Int: (rows: Int, expected: Int?)] = [:]

    /// The number of the manifest's items that have all of their rows.
    var items: Int { rows + archives.values.count { $0.rows == $0.expected } }

    mutating func add(_ row: BulkRow) {
      switch row.place {
      case nil: rows += 1
      case .member: archives[row.result.index, default: (0, nil)].rows += 1
      case .end(let members): archives[row.result.index, default: (0, nil)].expected = members
      }
    }
  }

  /// Throws unless a part has the rows of all of its items.
  private func check(_ tally: Tally, of model: String, in file: PartFile) throws {
    let share = file.part.share
    guard tally.items != share else { return }
    guard tally.items < share else {
      throw TensorIOError(
        .unreadableFile,
        "\(file.title) is damaged: it has \(counted(tally.items, "row")) of '\(model)', but its part has "
          + "only \(counted(share, "item")). Make it again with \(file.command) --force'.")
    }
    let found =
      tally.archives.isEmpty
      ? "\(tally.items) of \(counted(share, "row")) of '\(model)'"
      : "all rows of '\(model)' for \(tally.items) of \(counted(share, "item")), where an archive is one"
    throw TensorIOError(
      .invalidOption, "\(file.title) has \(found). Complete it with \(file.command) --resume'.")
  }

  /// Throws if an index occurs twice, in place of another one.
  private func checkIndices(_ files: [PartFile]) throws {
    // An item has either a single row, or rows of different members.
    let query = """
      SELECT item FROM rows GROUP BY model, item
      HAVING COUNT(*) > 1 AND (MIN(member) < 0 OR COUNT(*) > COUNT(DISTINCT member)) LIMIT 1
      """
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
      do {
        try writeDatabase(atNewPath: fresh)
      } catch {
        for end in ["-wal", "-shm"] { try FileSystem.remove(fresh + end) }
        throw error
      }
    }
  }

  private func writeDatabase(atNewPath path: String) throws {
    let log = try SQLiteLog(path)
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

  private func forEachRow(_ body: (BulkRow) throws -> Void) throws {
    try forEachLine { try body(BulkRow($0, of: nil)) }
  }

  private func forEachLine(_ body: (String) throws -> Void) throws {
    let query = """
      SELECT model, item, member, line FROM rows WHERE line IS NOT NULL ORDER BY model, item, member
      """
    var (model, index) = (-1, 0)
    try Self.sorting {
      try database.forEachRow(query) { row in
        let row = CheckedRow(row, of: "rows", key: [])
        let line = try row.text("line")
        let found = try row.integer("model")
        (model, index) = (found, found == model ? index + 1 : 0)
        let isNumbered =
          try row.integer("item") == index && row.integer("member", in: -1 ... .max) < 0
        try body(hasArchives && !isNumbered ? Self.numbered(line, index) : line)
      }
    }
  }

  /// Returns a row's line with another index, and without the place in an archive.
  private static func numbered(_ line: String, _ index: Int) throws -> String {
    var row = try BulkRow(line, of: nil)
    row.result.index = index
    row.place = nil
    return try row.line()
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
