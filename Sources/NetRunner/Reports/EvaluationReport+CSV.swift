// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension EvaluationReport {
  /// A table with a row for each model and picture, in the report's order, as RFC 4180 says.
  ///
  /// The columns are always these, in this order: `model`, `index`, `image`, `type`,
  /// `test_bundle`, `truth`, `predicted`, `score`, `correct` (`true`, `false` or empty), `error`
  /// (`true` or `false`), `error_description`, `decode_ms`, `preprocess_ms`, `inference_ms`,
  /// `postprocess_ms`, `total_ms`. A value that there is not is an empty field; numbers are written
  /// with every digit, those that are not finite as `nan`, `inf` and `-inf`.
  ///
  /// Spreadsheets run fields that begin with `=`, `+`, `-`, `@`, a tab or a line's end as formulas:
  /// such texts, unless they are plain numbers, get an apostrophe in front, and so do texts that
  /// begin with one. To read them back, take off one apostrophe where a text begins with it.
  public func csv() -> String {
    var table = CSVTable()
    table.add(ResultRow.csvColumns)
    for row in results { table.add(row.csvFields) }
    return table.text
  }
}

extension ResultRow {
  /// The headings over ``csvFields``.
  static let csvColumns: [CSVTable.Field] = [
    "model", "index", "image", "type", "test_bundle", "truth", "predicted", "score", "correct",
    "error", "error_description", "decode_ms", "preprocess_ms", "inference_ms", "postprocess_ms",
    "total_ms",
  ].map { .text($0) }

  /// The row as ``EvaluationReport/csv()`` writes it.
  var csvFields: [CSVTable.Field] {
    [
      .text(model), .integer(index), .text(image), .text(type), .text(testBundle), .text(truth),
      .text(predicted), .number(score), .bool(isCorrect), .bool(error), .text(errorDescription),
      .number(evaluation?.decodeLatency), .number(evaluation?.preprocessorLatency),
      .number(evaluation?.inferenceLatency), .number(evaluation?.postprocessLatency),
      .number(evaluation?.total),
    ]
  }
}

/// Writes comma-separated values as RFC 4180 says.
struct CSVTable {
  enum Field {
    case text(String?)
    case integer(Int)
    case number(Double?)
    case bool(Bool?)
  }

  private(set) var text = ""

  mutating func add(_ fields: [Field]) {
    for (place, field) in fields.enumerated() {
      if place > 0 { text += "," }
      switch field {
      case .text(let value): text += value.map(Self.quoted) ?? ""
      case .integer(let value): text += String(value)
      case .number(let value): text += value.map(\.description) ?? ""
      case .bool(let value): text += value.map(\.description) ?? ""
      }
    }
    text += "\r\n"
  }

  private static func quoted(_ text: String) -> String {
    let safe = isFormula(text) ? "'" + text : text
    guard safe.utf8.contains(where: { ",\"\r\n".utf8.contains($0) }) else { return safe }
    // By scalars: a quotation mark with an accent is another character, but still ends a field.
    var quoted = "\""
    for scalar in safe.unicodeScalars {
      if scalar == "\"" { quoted += "\"" }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }

  /// The characters that a formula may begin with, those of full width among them, and the
  /// apostrophe that takes their meaning away.
  private static let starts: Set<Unicode.Scalar> = [
    "=", "+", "-", "@", "\t", "\r", "\n", "'", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
  ]

  private static func isFormula(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, starts.contains(first) else { return false }
    return !isPlainNumber(text)
  }

  private static func isPlainNumber(_ text: String) -> Bool {
    var digits = text.utf8[...]
    if digits.first == UInt8(ascii: "-") || digits.first == UInt8(ascii: "+") {
      digits = digits.dropFirst()
    }
    let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return (1...2).contains(parts.count)
      && parts.allSatisfy { part in !part.isEmpty && part.allSatisfy { (0x30...0x39).contains($0) }
      }
  }
}
