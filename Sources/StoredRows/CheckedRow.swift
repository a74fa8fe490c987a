// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A row as it came out of a database.
package struct StoredRow: Sendable {
  /// The columns' names.
  package var columns: [String]
  /// Their values, in the same order.
  package var values: [StoredValue]

  /// Makes a row.
  package init(columns: [String], values: [StoredValue]) {
    self.columns = columns
    self.values = values
  }

  /// A column's value; nil where there is no such column.
  fileprivate subscript(column: String) -> StoredValue? {
    columns.firstIndex(of: column).map { values[$0] }
  }
}

/// A row of a database that may be damaged.
///
/// SQLite turns the text `x` into the number 0 where a number is asked for. A file on a disk can
/// contain anything, so each column is read here with a check of its type and its range, and a value
/// that does not fit is an error.
///
/// ```swift
/// let row = CheckedRow(row, of: "blobs", key: ["digest"])
/// let size = try row.integer("size")
/// ```
package struct CheckedRow {
  /// The largest integer that is accepted unless the caller says otherwise: a few thousand of them
  /// can be added without an overflow.
  package static let maximum = 1 << 50

  private let row: StoredRow
  private let table: String
  private let keyColumns: [String]

  /// Wraps a row.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - table: The table that it is in.
  ///   - key: The columns that tell the row from others.
  package init(_ row: StoredRow, of table: String, key: [String]) {
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
    switch try value(column) {
    case .null: return nil
    case .text(let text): return text
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
    switch try value(column) {
    case .null: return nil
    case .integer(let integer):
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
    switch try value(column) {
    case .null: return nil
    case .integer(let integer): return Double(integer)
    case .real(let number) where number.isFinite || !isFinite: return number
    default: throw mismatch(column, isFinite ? "a finite number" : "a number")
    }
  }

  /// A truth value: 0 or 1.
  ///
  /// - Throws: ``DamagedRow`` for everything else.
  package func flag(_ column: String) throws -> Bool {
    switch try value(column) {
    case .integer(0): return false
    case .integer(1): return true
    default: throw mismatch(column, "0 or 1")
    }
  }

  /// Bytes.
  ///
  /// - Throws: ``DamagedRow`` for NULL and for other types.
  package func bytes(_ column: String) throws -> Data {
    guard case .blob(let bytes) = try value(column) else {
      throw mismatch(column, "bytes")
    }
    return bytes
  }

  // MARK: - Faults

  /// The error for a column whose value is not what was expected.
  ///
  /// - Parameters:
  ///   - column: The column.
  ///   - expected: What it should have, with its article.
  /// - Returns: The error.
  package func mismatch(_ column: String, _ expected: String) -> DamagedRow {
    let found = row[column].map(Self.text(of:)) ?? "missing"
    return damaged("'\(column)' should be \(expected), but it is \(found)")
  }

  /// A value of any type.
  ///
  /// - Throws: ``DamagedRow`` where there is no such column.
  package func value(_ column: String) throws -> StoredValue {
    guard let value = row[column] else { throw damaged("it has no column '\(column)'") }
    return value
  }

  private var key: String {
    keyColumns.compactMap { row[$0] }.map(Self.text(of:)).joined(separator: " ")
  }

  /// A value as people read it, on one line and never long.
  private static func text(of value: StoredValue) -> String {
    switch value {
    case .null: return "NULL"
    case .integer(let integer): return "\(integer)"
    case .real(let number): return "\(number)"
    case .blob(let bytes): return "\(bytes.count) bytes"
    case .text(let text):
      let visible = text.unicodeScalars.prefix(80).map { scalar in
        scalar.properties.generalCategory == .control ? "?" : Character(scalar)
      }
      return "'\(String(visible))\(text.unicodeScalars.count > 80 ? "..." : "")'"
    }
  }
}
