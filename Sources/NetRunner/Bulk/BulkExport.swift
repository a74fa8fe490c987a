// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Writes the rows of a bulk run in other formats.
public enum BulkExport: String, Sendable, CaseIterable {
  /// A JSON object a line.
  case jsonLines = "jsonl"
  /// A table, with the columns of ``EvaluationReport/csv()``.
  case csv
  /// Net Runner's own: `{"results": [...]}`.
  case json

  /// Writes all rows of a log to a file; it is there when it is whole.
  ///
  /// - Parameters:
  ///   - log: The rows.
  ///   - path: The file; one that is there is replaced.
  /// - Throws: `TensorIOError` when the log cannot be read, or the file not be written.
  public func write(_ log: any BulkLog, to path: String) throws {
    try AtomicOutput(path, replaces: true).write { fresh in
      let file = try UpdatableFile(fresh)
      try write(log) { try file.write(Array($0.utf8)) }
    }
  }

  private func write(_ log: any BulkLog, _ put: (String) throws -> Void) throws {
    var text = ""
    func add(_ part: String) throws {
      text += part
      guard text.utf8.count > 1 << 16 else { return }
      try put(text)
      text = ""
    }
    switch self {
    case .jsonLines: try log.forEachRow { try add(StableJSON($0).text + "\n") }
    case .csv:
      try add(CSVTable.line(ResultRow.csvColumns))
      try log.forEachRow { try add(CSVTable.line($0.result.csvFields)) }
    case .json:
      try add("{\"results\": [\n")
      var isFirst = true
      try log.forEachRow { row in
        try add((isFirst ? "" : ",\n") + StableJSON(row.result).text)
        isFirst = false
      }
      try add("\n]}\n")
    }
    try put(text)
  }
}

extension CSVTable {
  /// A single line.
  fileprivate static func line(_ fields: [Field]) -> String {
    var table = CSVTable()
    table.add(fields)
    return table.text
  }
}
