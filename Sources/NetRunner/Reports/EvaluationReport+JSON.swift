// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
    let members: [(String, String)] = try [
      ("created", Self.line(created)),
      ("dataset", Self.line(dataset)),
      ("environment", Self.line(environment)),
      ("models", Self.lines(models)),
      ("part", part.map(Self.line)),
      ("results", Self.lines(results)),
      ("schema", Self.line(schema)),
      ("schema_version", Self.line(schemaVersion)),
      ("settings", Self.line(settings)),
      ("summary", Self.lines(summary)),
      ("tool", Self.line(tool)),
    ].compactMap { key, value in value.map { (key, $0) } }
    return "{\n" + members.map { "\"\($0)\": \($1)" }.joined(separator: ",\n") + "\n}\n"
  }

  /// Writes the report as JSON.
  ///
  /// - Parameter path: Where to write; a file that is there is replaced, by the whole report or
  ///   not at all.
  /// - Throws: `TensorIOError` when the file cannot be written.
  public func write(to path: String) throws {
    try ReportFile(path).write(json())
  }

  private static func line(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    do {
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    } catch {
      throw TensorIOError(.internalFault, "The report cannot be written: \(error).", cause: error)
    }
  }

  private static func lines(_ values: [some Encodable]) throws -> String {
    guard !values.isEmpty else { return "[]" }
    return "[\n" + (try values.map { try line($0) }).joined(separator: ",\n") + "\n]"
  }
}
