// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A value in SQLite's representation.
package enum StoredValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)
}

/// A value that can be stored in a column.
package protocol StoredValueConvertible {
  var storedValue: StoredValue { get }
}

extension String: StoredValueConvertible {
  package var storedValue: StoredValue { .text(self) }
}

extension Int: StoredValueConvertible {
  package var storedValue: StoredValue { .integer(Int64(self)) }
}

extension Double: StoredValueConvertible {
  package var storedValue: StoredValue { .real(self) }
}

extension Bool: StoredValueConvertible {
  package var storedValue: StoredValue { .integer(self ? 1 : 0) }
}

/// A row as it was read from a database.
package struct StoredRow: Sendable {
  package var columns: [String]
  /// The values of the columns, in the same order.
  package var values: [StoredValue]

  package init(columns: [String], values: [StoredValue]) {
    self.columns = columns
    self.values = values
  }

  /// Returns a column's value; nil if there is no such column.
  fileprivate subscript(column: String) -> StoredValue? {
    columns.firstIndex(of: column).map { values[$0] }
  }
}

/// A row of a database that may be damaged.
///
/// SQLite converts the text `x` to the number 0 if a caller reads it as a number. A file on a disk
/// can contain anything, so this type checks the type and the range of each column, and throws an
/// error if a value doesn't match.
///
/// ```swift
/// let row = CheckedRow(row, of: "blobs", key: ["digest"])
/// let size = try row.integer("size")
/// ```
package struct CheckedRow {
  /// The largest integer that is accepted by default.
  ///
  /// A few thousand of these integers can be added without an overflow.
  package static let maximum = 1 << 50

  private let row: StoredRow
  private let table: String
  private let keyColumns: [String]

  /// Wraps a row, which the columns of `key` identify.
  package init(_ row: StoredRow, of table: String, key: [String]) {
    self.row = row
    self.table = table
    keyColumns = key
  }

  /// Creates the error for a fault of this row, which is written without a full stop.
  package func damaged(_ fault: String) -> DamagedRow {
    DamagedRow(table: table, key: key, fault: fault)
  }

  // MARK: - Values

  /// Returns a text.
  ///
  /// - Throws: ``DamagedRow`` for NULL and for other types.
  package func text(_ column: String) throws -> String {
    guard let text = try optionalText(column) else { throw mismatch(column, "text") }
    return text
  }

  /// Returns a text, or nil for NULL.
  ///
  /// - Throws: ``DamagedRow`` for other types.
  package func optionalText(_ column: String) throws -> String? {
    switch try value(column) {
    case .null: return nil
    case .text(let text): return text
    default: throw mismatch(column, "text")
    }
  }

  /// Returns an integer.
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

  /// Returns an integer, or nil for NULL.
  ///
  /// - Throws: ``DamagedRow`` for other types and for integers outside of the range.
  package func optionalInteger(
    _ column: String, in range: ClosedRange<Int> = 0...CheckedRow.maximum
  ) throws -> Int? {
    switch try value(column) {
    case .null: return nil
    case .integer(let integer):
      guard let integer = Int(exactly: integer), range.contains(integer) else {
        throw mismatch(column, "an integer from \(range.lowerBound) to \(range.upperBound)")
      }
      return integer
    default: throw mismatch(column, "an integer")
    }
  }

  /// Returns a floating-point number or an integer as a number, or nil for NULL.
  ///
  /// SQLite can't store NaN.
  ///
  /// - Throws: ``DamagedRow`` for other types, and for infinite numbers unless `isFinite` is false.
  package func optionalNumber(_ column: String, isFinite: Bool = true) throws -> Double? {
    switch try value(column) {
    case .null: return nil
    case .integer(let integer): return Double(integer)
    case .real(let number) where number.isFinite || !isFinite: return number
    default: throw mismatch(column, isFinite ? "a finite number" : "a number")
    }
  }

  /// Returns a Boolean value, which is stored as 0 or 1.
  ///
  /// - Throws: ``DamagedRow`` for all other values.
  package func flag(_ column: String) throws -> Bool {
    switch try value(column) {
    case .integer(0): return false
    case .integer(1): return true
    default: throw mismatch(column, "0 or 1")
    }
  }

  /// Returns bytes.
  ///
  /// - Throws: ``DamagedRow`` for NULL and for other types.
  package func bytes(_ column: String) throws -> Data {
    guard case .blob(let bytes) = try value(column) else {
      throw mismatch(column, "bytes")
    }
    return bytes
  }

  // MARK: - Faults

  /// Creates the error for a column whose value isn't what was expected.
  ///
  /// The expected value has its article.
  package func mismatch(_ column: String, _ expected: String) -> DamagedRow {
    let found = row[column].map(Self.text(of:)) ?? "missing"
    return damaged("'\(column)' should be \(expected), but it is \(found)")
  }

  /// Returns a value of any type.
  ///
  /// - Throws: ``DamagedRow`` if there is no such column.
  package func value(_ column: String) throws -> StoredValue {
    guard let value = row[column] else { throw damaged("it has no column '\(column)'") }
    return value
  }

  private var key: String {
    keyColumns.compactMap { row[$0] }.map(Self.text(of:)).joined(separator: " ")
  }

  /// Formats a value for people, on one line and with a limited length.
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

/// An error for a row whose values differ from what this program stores.
package struct DamagedRow: Error, Sendable, Hashable {
  package var table: String
  /// The values that identify the row, formatted for people.
  package var key: String
  /// What was expected and what was found.
  package var fault: String

  package init(table: String, key: String, fault: String) {
    self.table = table
    self.key = key
    self.fault = fault
  }
}

extension DamagedRow: CustomStringConvertible {
  /// A sentence with the row, what was expected and what was found.
  package var description: String {
    "The row \(key) of the table '\(table)' is damaged: \(fault)."
  }
}
