// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
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
    let fresh = path + ".part"
    do {
      try Data().write(to: URL(filePath: fresh))
      let handle = try FileHandle(forWritingTo: URL(filePath: fresh))
      try write(log) { try handle.write(contentsOf: Data($0.utf8)) }
      try handle.close()
      try FileSystem.flush(fresh)
      try FileSystem.rename(fresh, to: path)
    } catch {
      try? FileSystem.remove(fresh)
      guard !(error is TensorIOError) else { throw error }
      throw TensorIOError(
        .unreadableFile, "'\(path)' cannot be written: \(FileSystem.reason(for: error)).",
        cause: error)
    }
  }

  private func write(_ log: any BulkLog, _ put: (String) throws -> Void) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    func json(_ row: some Encodable) throws -> String {
      String(decoding: try encoder.encode(row), as: UTF8.self)
    }
    var text = ""
    func add(_ part: String) throws {
      text += part
      guard text.utf8.count > 1 << 16 else { return }
      try put(text)
      text = ""
    }
    switch self {
    case .jsonLines: try log.forEachRow { try add(json($0) + "\n") }
    case .csv:
      try add(CSVTable.line(ResultRow.csvColumns))
      try log.forEachRow { try add(CSVTable.line($0.result.csvFields)) }
    case .json:
      try add("{\"results\": [\n")
      var isFirst = true
      try log.forEachRow { row in
        try add((isFirst ? "" : ",\n") + json(row.result))
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
