// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Writes comma-separated values in the format of RFC 4180.
enum CSV {
  static func line(_ fields: [String]) -> String { fields.joined(separator: ",") + "\r\n" }

  /// A field with text, which gets an apostrophe in front if a spreadsheet would evaluate it.
  static func text(_ text: String?) -> String {
    guard let text else { return "" }
    let safe = isFormula(text) ? "'" + text : text
    return safe.utf8.contains(where: { ",\"\r\n".utf8.contains($0) }) ? quoted(safe) : safe
  }

  /// A field with a number or a Boolean.
  static func value(_ value: (some CustomStringConvertible)?) -> String {
    value?.description ?? ""
  }

  /// Puts text into quotation marks, in which it can contain any character.
  static func quoted(_ text: String) -> String {
    // Compare scalars instead of characters. A quotation mark with an accent is another character,
    // but still ends a field.
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" { quoted += "\"" }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }

  /// The characters that a formula can begin with, including full-width ones, and the apostrophe
  /// that prevents a formula.
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

extension EvaluationReport {
  /// The report as a CSV table (RFC 4180) with a row for each model and image, in the report's
  /// order.
  ///
  /// The columns are always these, in this order: `model`, `index`, `image`, `type`, `test_bundle`,
  /// `truth`, `predicted`, `score`, `correct` (`true`, `false` or empty), `error` (`true` or
  /// `false`), `error_description`, `decode_ms`, `preprocess_ms`, `inference_ms`, `postprocess_ms`,
  /// `total_ms`. A missing value is an empty field. The prediction of a model whose only output is
  /// one number is that number; those of several numbers aren't in the table. Numbers are written
  /// with all digits. Numbers that aren't finite are written as `nan`, `inf` and `-inf`.
  ///
  /// Spreadsheets evaluate fields that begin with `=`, `+`, `-`, `@`, a tab or a line break as
  /// formulas. Such text gets an apostrophe in front, unless it is a plain number. Text that begins
  /// with an apostrophe gets another one. To read the text back, remove one leading apostrophe.
  public func csv() -> String {
    results.reduce(into: CSV.line(ResultRow.csvColumns)) { $0 += CSV.line($1.csvFields) }
  }
}

extension ResultRow {
  static let csvColumns = [
    "model", "index", "image", "type", "test_bundle", "truth", "predicted", "score", "correct",
    "error", "error_description", "decode_ms", "preprocess_ms", "inference_ms", "postprocess_ms",
    "total_ms",
  ]

  /// The result of a model whose only output is one number, as text.
  private var onlyNumber: String? {
    guard let results = evaluation?.inferenceResults, results.count == 1 else { return nil }
    var value: JSONValue? = results.values.first
    // A regression's only measurement.
    if case .object(let members)? = value, members.count == 1,
      case .object(let measurement)? = members.values.first
    {
      value = measurement["value"]
    }
    switch value {
    case .integer(let number)?: return "\(number)"
    case .number(let number)?: return "\(number)"
    // Rows have numbers that aren't finite as text.
    case .string("NaN")?: return "nan"
    case .string("Infinity")?: return "inf"
    case .string("-Infinity")?: return "-inf"
    default: return nil
    }
  }

  /// The row as a line of ``EvaluationReport/csv()``.
  var csvFields: [String] {
    [
      CSV.text(model), CSV.value(index), CSV.text(image), CSV.text(type), CSV.text(testBundle),
      CSV.text(truth), predicted.map(CSV.text) ?? CSV.value(onlyNumber), CSV.value(score),
      CSV.value(isCorrect),
      CSV.value(error), CSV.text(errorDescription), CSV.value(evaluation?.decodeLatency),
      CSV.value(evaluation?.preprocessorLatency), CSV.value(evaluation?.inferenceLatency),
      CSV.value(evaluation?.postprocessLatency), CSV.value(evaluation?.total),
    ]
  }
}
