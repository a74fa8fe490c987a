// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension EvaluationReport {
  /// The report as JSON, which is byte-for-byte equal for equal reports.
  ///
  /// Keys are sorted. Each model and each image has its own line, so that reports can be searched
  /// and compared line by line. JSON can't represent numbers that aren't finite. They are written
  /// as the strings `NaN`, `Infinity` and `-Infinity`, which ``init(json:named:)`` reads.
  ///
  /// - Returns: The document with a trailing line feed.
  /// - Throws: `TensorIOError` if the report can't be encoded, which is a bug in this library.
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

  /// The report's `results` and `summary`, in the format that Net Runner has always exported.
  package func netRunnerJSON() throws -> String {
    StableJSON(document: [
      "results": try StableJSON(lines: results), "summary": try StableJSON(lines: summary),
    ]).text
  }

  /// Writes the report as JSON.
  ///
  /// - Parameter path: The file. An existing file is replaced with the complete report, or not
  ///   changed at all.
  /// - Throws: `TensorIOError` if the file can't be written.
  public func write(to path: String) throws {
    try ReportFile(path).write(json())
  }
}
