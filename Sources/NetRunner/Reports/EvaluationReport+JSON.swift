// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Hashing
import TensorIO

extension EvaluationReport {
  /// The report as JSON, equal in every byte for equal reports.
  ///
  /// Keys are sorted, and each model and each picture stands on a line of its own, so that a
  /// report can be searched and compared line by line. JSON has no word for numbers that are not
  /// finite: they are the texts `NaN`, `Infinity` and `-Infinity`, as ``init(json:named:)`` reads
  /// them.
  ///
  /// - Returns: The document, with a line feed at its end.
  /// - Throws: `TensorIOError` for a report that cannot be written, which is a fault of ours.
  public func json() throws -> String {
    let members: [String: StableJSON?] = [
      "created": try StableJSON(created),
      "dataset": try StableJSON(dataset),
      "environment": try StableJSON(environment),
      "models": try StableJSON(lines: models),
      "part": try part.map { try StableJSON($0) },
      "results": try StableJSON(lines: results),
      "schema": try StableJSON(schema),
      "schema_version": try StableJSON(schemaVersion),
      "settings": try StableJSON(settings),
      "summary": try StableJSON(lines: summary),
      "tool": try StableJSON(tool),
    ]
    return StableJSON(document: members).text
  }

  /// Writes the report as JSON.
  ///
  /// - Parameter path: Where to write; a file that is there is replaced, by the whole report or
  ///   not at all.
  /// - Throws: `TensorIOError` when the file cannot be written.
  public func write(to path: String) throws {
    try SHA256.requireLibrary()
    try ReportFile(path).write(json())
  }
}
