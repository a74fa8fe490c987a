// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import GRDB

/// A row of a database that may be damaged.
///
/// GRDB's subscripts end the process where a value has another type than expected, and SQLite itself
/// turns the text `x` into the number 0. A file on a disk can contain anything, so each column is
/// read here with a check of its type and its range, and a value that does not fit is an error.
///
/// ```swift
/// let row = CheckedRow(row, of: "blobs", key: ["digest"])
/// let size = try row.integer("size")
/// ```
package struct CheckedRow {
  /// The largest integer that is accepted unless the caller says otherwise: a few thousand of them
  /// can be added without an overflow.
  package static let maximum = 1 << 50

  private let row: Row
  private let table: String
  private let keyColumns: [String]

  /// Wraps a row.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - table: The table that it is in.
  ///   - key: The columns that tell the row from others.
  package init(_ row: Row, of table: String, key: [String]) {
    self.row = row
    self.table = table
    keyColumns = key
  }

  /// The error for a fault of this row.
  ///
  /// - Parameter fault: What was expected and what was found, without a full stop.
  /// - Returns: The error.
  package func damaged(_ fault: String) -> DamagedRow {
    DamagedRow(table: table, key: key, fault: fault)
  }

  // MARK: - Values

  /// A text.
  ///
  /// - Throws: ``DamagedRow`` for NULL and for other types.
  package func text(_ column: String) throws -> String {
    guard let text = try optionalText(column) else { throw mismatch(column, "a text") }
    return text
  }

  /// A text, or nil for NULL.
  ///
  /// - Throws: ``DamagedRow`` for other types.
  package func optionalText(_ column: String) throws -> String? {
    switch try value(column).storage {
    case .null: return nil
    case .string(let text): return text
    default: throw mismatch(column, "a text")
    }
  }

  /// An integer.
  ///
  /// - Throws: ``DamagedRow`` for NULL, for other types and for integers outside of the range.
  package func integer(
    _ column: String, in range: ClosedRange<Int> = 0...CheckedRow.maximum
  ) throws -> Int {
    guard let integer = try optionalInteger(column, in: range) else {
      throw mismatch(column, "an integer")
    }
    return integer
  }

  /// An integer, or nil for NULL.
  ///
  /// - Throws: ``DamagedRow`` for other types and for integers outside of the range.
  package func optionalInteger(
    _ column: String, in range: ClosedRange<Int> = 0...CheckedRow.maximum
  ) throws -> Int? {
    switch try value(column).storage {
    case .null: return nil
    case .int64(let integer):
      guard let integer = Int(exactly: integer), range.contains(integer) else {
        throw mismatch(
          column, "an integer from \(range.lowerBound) to \(range.upperBound)")
      }
      return integer
    default: throw mismatch(column, "an integer")
    }
  }

  /// A number with a fraction, or nil for NULL; an integer is a number, too.
  ///
  /// - Parameters:
  ///   - column: The column.
  ///   - isFinite: Whether an infinite number is an error; SQLite has no number that is none.
  /// - Returns: The number, or nil.
  /// - Throws: ``DamagedRow`` for other types.
  package func optionalNumber(_ column: String, isFinite: Bool = true) throws -> Double? {
    switch try value(column).storage {
    case .null: return nil
    case .int64(let integer): return Double(integer)
    case .double(let number) where number.isFinite || !isFinite: return number
    default: throw mismatch(column, isFinite ? "a finite number" : "a number")
    }
  }

  /// A truth value: 0 or 1.
  ///
  /// - Throws: ``DamagedRow`` for everything else.
  package func flag(_ column: String) throws -> Bool {
    switch try value(column).storage {
    case .int64(0): return false
    case .int64(1): return true
    default: throw mismatch(column, "0 or 1")
    }
  }

  /// Bytes.
  ///
  /// - Throws: ``DamagedRow`` for NULL and for other types.
  package func bytes(_ column: String) throws -> Data {
    guard case .blob(let bytes) = try value(column).storage else {
      throw mismatch(column, "bytes")
    }
    return bytes
  }

  /// A time, as GRDB writes it: `2026-11-23 09:00:00.000`, in UTC.
  ///
  /// - Throws: ``DamagedRow`` for NULL and for everything else.
  package func time(_ column: String) throws -> Date {
    guard let time = try optionalTime(column) else { throw mismatch(column, "a time") }
    return time
  }

  /// A time, or nil for NULL.
  ///
  /// - Throws: ``DamagedRow`` for everything else.
  package func optionalTime(_ column: String) throws -> Date? {
    let value = try value(column)
    switch value.storage {
    case .null: return nil
    case .string(let text):
      guard Self.isTime(text), let time = Date.fromDatabaseValue(value) else { fallthrough }
      return time
    default: throw mismatch(column, "a time like '2026-11-23 09:00:00.000'")
    }
  }

  // MARK: - Faults

  /// The error for a column whose value is not what was expected.
  ///
  /// - Parameters:
  ///   - column: The column.
  ///   - expected: What it should have, with its article.
  /// - Returns: The error.
  package func mismatch(_ column: String, _ expected: String) -> DamagedRow {
    let found = stored(column).map(Self.text(of:)) ?? "missing"
    return damaged("'\(column)' should be \(expected), but it is \(found)")
  }

  private func value(_ column: String) throws -> DatabaseValue {
    guard let value = stored(column) else { throw damaged("it has no column '\(column)'") }
    return value
  }

  /// What a column has; nil where there is no such column.
  private func stored(_ column: String) -> DatabaseValue? {
    guard row.hasColumn(column) else { return nil }
    // Every value is one of these, NULL too: this subscript has nothing to convert.
    let value: DatabaseValue = row[column]
    return value
  }

  private var key: String {
    keyColumns.compactMap(stored).map(Self.text(of:)).joined(separator: " ")
  }

  /// A value as people read it, on one line and never long.
  private static func text(of value: DatabaseValue) -> String {
    switch value.storage {
    case .null: return "NULL"
    case .int64(let integer): return "\(integer)"
    case .double(let number): return "\(number)"
    case .blob(let bytes): return "\(bytes.count) bytes"
    case .string(let text):
      let visible = text.unicodeScalars.prefix(80).map { scalar in
        scalar.properties.generalCategory == .control ? "?" : Character(scalar)
      }
      return "'\(String(visible))\(text.unicodeScalars.count > 80 ? "..." : "")'"
    }
  }

  /// Whether a text is `YYYY-MM-DD HH:MM:SS.SSS`, a day that the calendar has.
  private static func isTime(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let pattern = Array("0000-00-00 00:00:00.000".utf8)
    let digit = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard bytes.count == pattern.count,
      zip(bytes, pattern).allSatisfy({
        $1 == digit.lowerBound ? digit.contains($0) : $0 == $1
      })
    else { return false }
    func number(_ range: Range<Int>) -> Int {
      bytes[range].reduce(0) { $0 * 10 + Int($1 - digit.lowerBound) }
    }
    let (year, month) = (number(0..<4), number(5..<7))
    let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let days = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return (1...12).contains(month) && (1...days[month - 1]).contains(number(8..<10))
      && number(11..<13) < 24 && number(14..<16) < 60 && number(17..<19) < 60
  }
}
