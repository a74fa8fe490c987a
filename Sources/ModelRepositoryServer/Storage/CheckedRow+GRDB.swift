// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import GRDB
import StoredRows

extension CheckedRow {
  /// Wraps a row from GRDB, whose own subscripts crash if a value has an unexpected type.
  init(_ row: Row, of table: String, key: [String]) {
    self.init(
      StoredRow(
        columns: Array(row.columnNames), values: row.databaseValues.map(StoredValue.init)),
      of: table, key: key)
  }

  /// Returns a time in GRDB's format, `2026-11-23 09:00:00.000` in UTC.
  func time(_ column: String) throws -> Date {
    guard let time = try optionalTime(column) else { throw mismatch(column, "a time") }
    return time
  }

  /// Returns a time, or nil for NULL.
  func optionalTime(_ column: String) throws -> Date? {
    switch try value(column) {
    case .null: return nil
    case .text(let text):
      guard Self.isTime(text), let time = Date.fromDatabaseValue(text.databaseValue)
      else { fallthrough }
      return time
    default: throw mismatch(column, "a time like '2026-11-23 09:00:00.000'")
    }
  }

  /// Whether a text has the format `YYYY-MM-DD HH:MM:SS.SSS`, with a day that exists.
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

extension StoredValue {
  /// Creates a value from GRDB's.
  fileprivate init(_ value: DatabaseValue) {
    self =
      switch value.storage {
      case .null: .null
      case .int64(let integer): .integer(integer)
      case .double(let number): .real(number)
      case .string(let text): .text(text)
      case .blob(let bytes): .blob(bytes)
      }
  }
}
#endif
