// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files

/// Writes the rows of a bulk run in other formats.
public enum BulkExport: String, Sendable, CaseIterable {
  /// One JSON object per line.
  case jsonLines = "jsonl"
  /// A table, with the columns of ``EvaluationReport/csv()``.
  case csv
  /// Net Runner's own format: `{"results": [...]}`.
  case json

  /// Writes all rows of a log to a file.
  ///
  /// The file appears only when it is complete. The rows that end archives are written as JSON lines
  /// only, because other formats can't be merged.
  ///
  /// - Parameters:
  ///   - log: The rows.
  ///   - path: The file. An existing file is replaced.
  /// - Throws: `TensorIOError` if the log can't be read or the file can't be written.
  public func write(_ log: any BulkLog, to path: String) throws {
    let part = try (log as? any PartLog)?.storedPart()
    let forEachRow: ForEach<BulkRow> = { body in
      try log.forEachRow { row in if !row.isEnd { try body(row) } }
    }
    try write(to: path, of: part, rows: forEachRow) { body in
      try log.forEachRow { try body($0.line()) }
    }
  }

  /// Calls a closure with each row, or with its line of JSON without the line feed.
  typealias ForEach<Row> = ((Row) throws -> Void) throws -> Void

  /// Writes lines if the format is JSON lines, of which the first one has the part,
  /// and otherwise rows.
  func write(
    to path: String, of part: BulkPart?, rows forEachRow: @escaping ForEach<BulkRow>,
    lines forEachLine: @escaping ForEach<String>
  ) throws {
    try AtomicOutput(path, replaces: true).write { fresh in
      let file = try OpenFile(appending: fresh)
      try write(part, forEachRow, forEachLine) { try file.write(Array($0.utf8)) }
    }
  }

  private func write(
    _ part: BulkPart?, _ forEachRow: @escaping ForEach<BulkRow>,
    _ forEachLine: @escaping ForEach<String>,
    _ put: (String) throws -> Void
  ) throws {
    var text = ""
    func add(_ part: String) throws {
      text += part
      guard text.utf8.count > 1 << 16 else { return }
      try put(text)
      text = ""
    }
    switch self {
    case .jsonLines:
      var part = part
      try forEachLine { line in
        try add((part == nil ? line : BulkRow(line, of: part).line()) + "\n")
        part = nil
      }
    case .csv:
      try add(CSV.line(ResultRow.csvColumns))
      try forEachRow { try add(CSV.line($0.result.csvFields)) }
    case .json:
      try add("{\"results\": [\n")
      var isFirst = true
      try forEachRow { row in
        try add((isFirst ? "" : ",\n") + StableJSON(row.result).text)
        isFirst = false
      }
      try add("\n]}\n")
    }
    try put(text)
  }
}
