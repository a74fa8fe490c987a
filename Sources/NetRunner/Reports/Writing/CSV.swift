// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Writes comma-separated values in the format of RFC 4180.
enum CSV {
  enum Field {
    case text(String?)
    case integer(Int)
    case number(Double?)
    case bool(Bool?)
  }

  /// Formats a line of a table.
  ///
  /// Text that a spreadsheet would evaluate as a formula gets an apostrophe in front.
  static func line(_ fields: [Field]) -> String {
    var text = ""
    for (index, field) in fields.enumerated() {
      if index > 0 { text += "," }
      switch field {
      case .text(let value): text += value.map(Self.field) ?? ""
      case .integer(let value): text += String(value)
      case .number(let value): text += value.map(\.description) ?? ""
      case .bool(let value): text += value.map(\.description) ?? ""
      }
    }
    return text + "\r\n"
  }

  private static func field(_ text: String) -> String {
    let safe = isFormula(text) ? "'" + text : text
    return safe.utf8.contains(where: { ",\"\r\n".utf8.contains($0) }) ? quoted(safe) : safe
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
