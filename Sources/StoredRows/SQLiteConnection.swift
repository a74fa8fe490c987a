// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSQLite
import NativeLibrary
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An open database, which one thread at a time may use; ``SQLiteFile`` provides it.
package final class SQLiteConnection {
  private let sqlite: sqlite_functions
  private let handle: OpaquePointer
  /// The prepared statements by their SQL.
  private var statements: [String: OpaquePointer] = [:]

  /// Opens or creates a database.
  ///
  /// The corresponding C function is `sqlite3_open_v2`.
  ///
  /// - Throws: ``SQLiteError``, or `TensorIOError` with the code `missingLibrary`.
  package init(_ path: String, busySeconds: Double) throws {
    sqlite = try SQLiteLibrary.shared.functions
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let code = sqlite.open_v2(path, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      let error = Self.error(code, opened, sqlite)
      _ = sqlite.close_v2(opened)
      throw error
    }
    handle = opened
    _ = sqlite.extended_result_codes(handle, 0)
    _ = sqlite.busy_timeout(handle, CInt(min(busySeconds * 1000, 1e9)))
  }

  deinit {
    for statement in statements.values { _ = sqlite.finalize(statement) }
    _ = sqlite.close_v2(handle)
  }

  /// The id of the row that was inserted last.
  package var lastInsertedRowID: Int { Int(sqlite.last_insert_rowid(handle)) }

  /// Runs one or more statements that have no arguments and whose rows aren't needed.
  ///
  /// The corresponding C function is `sqlite3_exec`.
  package func execute(script: String) throws(SQLiteError) {
    try check(sqlite.exec(handle, script, nil, nil, nil))
  }

  /// Runs a statement whose rows aren't needed.
  package func execute(
    _ sql: String, _ arguments: [(any StoredValueConvertible)?] = []
  ) throws(SQLiteError) {
    let statement = try prepared(sql, arguments)
    defer { _ = sqlite.reset(statement) }
    while try step(statement) {}
  }

  /// Runs a query, and passes its rows to a closure one at a time.
  ///
  /// The closure must not run the same query.
  package func forEachRow(
    _ sql: String, _ arguments: [(any StoredValueConvertible)?] = [],
    _ body: (StoredRow) throws -> Void
  ) throws {
    let statement = try prepared(sql, arguments)
    defer { _ = sqlite.reset(statement) }
    let names = (0..<sqlite.column_count(statement)).map { index in
      sqlite.column_name(statement, index).map { String(cString: $0) } ?? ""
    }
    while try step(statement) {
      let values = try names.indices.map { try value(statement, CInt($0)) }
      try body(StoredRow(columns: names, values: values))
    }
  }

  /// Runs a query and returns its rows.
  ///
  /// The arguments are the values for its question marks; nil stands for NULL.
  package func rows(
    _ sql: String, _ arguments: [(any StoredValueConvertible)?] = []
  ) throws -> [StoredRow] {
    var rows: [StoredRow] = []
    try forEachRow(sql, arguments) { rows.append($0) }
    return rows
  }

  /// Returns the first column of a query's first row.
  package func firstValue(_ sql: String) throws -> StoredValue {
    try rows(sql).first?.values.first ?? .null
  }

  // MARK: - Statements

  /// Returns a statement with its arguments bound.
  ///
  /// The corresponding C functions are `sqlite3_prepare_v3` and `sqlite3_bind_*`.
  private func prepared(
    _ sql: String, _ arguments: [(any StoredValueConvertible)?]
  ) throws(SQLiteError) -> OpaquePointer {
    let statement: OpaquePointer
    if let known = statements[sql] { statement = known } else { statement = try prepare(sql) }
    _ = sqlite.clear_bindings(statement)
    for (index, argument) in zip(CInt(1)..., arguments) {
      try check(bind(statement, index, argument?.storedValue ?? .null))
    }
    return statement
  }

  private func prepare(_ sql: String) throws(SQLiteError) -> OpaquePointer {
    var prepared: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    try check(sqlite.prepare_v3(handle, sql, -1, flags, &prepared, nil))
    guard let prepared else {
      throw SQLiteError(code: .error, message: "'\(sql)' isn't an SQL statement")
    }
    statements[sql] = prepared
    return prepared
  }

  private func bind(_ statement: OpaquePointer, _ index: CInt, _ value: StoredValue) -> CInt {
    switch value {
    case .null: return sqlite.bind_null(statement, index)
    case .integer(let integer): return sqlite.bind_int64(statement, index, integer)
    case .real(let number): return sqlite.bind_double(statement, index, number)
    case .text(var text):
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { characters in
          sqlite.bind_text64(
            statement, index, characters.baseAddress ?? Self.empty, UInt64(characters.count),
            Self.copied, UInt8(SQLITE_UTF8))
        }
      }
    case .blob(let data):
      return data.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else {
          return sqlite.bind_zeroblob(statement, index, 0)
        }
        return sqlite.bind_blob64(statement, index, start, UInt64(bytes.count), Self.copied)
      }
    }
  }

  /// The value of SQLITE_TRANSIENT in C, which makes SQLite copy the bytes immediately.
  private static var copied: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }

  /// A zero byte, because an empty text still needs an address.
  ///
  /// `nonisolated(unsafe)` because the byte never changes.
  nonisolated(unsafe) private static let empty: UnsafePointer<CChar> = {
    let byte = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    byte.initialize(to: 0)
    return UnsafePointer(byte)
  }()

  /// Runs a statement up to its next row, and returns whether there is one.
  private func step(_ statement: OpaquePointer) throws(SQLiteError) -> Bool {
    switch sqlite.step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw Self.error(code, handle, sqlite)
    }
  }

  /// Returns the value of a column.
  ///
  /// The corresponding C functions are `sqlite3_column_*`.
  private func value(
    _ statement: OpaquePointer, _ column: CInt
  ) throws(SQLiteError) -> StoredValue {
    switch sqlite.column_type(statement, column) {
    case SQLITE_INTEGER: return .integer(sqlite.column_int64(statement, column))
    case SQLITE_FLOAT: return .real(sqlite.column_double(statement, column))
    case SQLITE_NULL: return .null
    case SQLITE_TEXT:
      guard let text = sqlite.column_text(statement, column) else { throw Self.noMemory }
      let count = Int(sqlite.column_bytes(statement, column))
      return .text(String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self))
    default:
      let bytes = sqlite.column_blob(statement, column)
      let count = Int(sqlite.column_bytes(statement, column))
      return .blob(bytes.map { Data(bytes: $0, count: count) } ?? Data())
    }
  }

  private static var noMemory: SQLiteError {
    SQLiteError(code: .init(rawValue: SQLITE_NOMEM), message: "out of memory")
  }

  private func check(_ code: CInt) throws(SQLiteError) {
    if code != SQLITE_OK { throw Self.error(code, handle, sqlite) }
  }

  private static func error(
    _ code: CInt, _ handle: OpaquePointer?, _ sqlite: sqlite_functions
  ) -> SQLiteError {
    let message = handle.flatMap { sqlite.errmsg($0) } ?? sqlite.errstr(code)
    return SQLiteError(
      code: .init(rawValue: code & 0xFF),
      message: message.map { String(cString: $0) } ?? "unknown")
  }
}

/// SQLite's description of a call that failed.
package struct SQLiteError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure: SQLite's primary result code.
  package var code: Code
  /// SQLite's own message.
  package var message: String

  /// SQLite's primary result codes that callers distinguish.
  package struct Code: RawRepresentable, Sendable, Hashable {
    package var rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let error = Code(rawValue: 1)
    package static let busy = Code(rawValue: 5)
    package static let locked = Code(rawValue: 6)
    package static let readOnly = Code(rawValue: 8)
    package static let corrupt = Code(rawValue: 11)
    package static let full = Code(rawValue: 13)
    package static let cannotOpen = Code(rawValue: 14)
    package static let schema = Code(rawValue: 17)
    package static let constraint = Code(rawValue: 19)
    package static let notADatabase = Code(rawValue: 26)
  }

  package var description: String { "SQLite error \(code.rawValue): \(message)" }
}

/// The SQLite library.
///
/// It is opened on first use, so that programs that store no rows start without it. A program that
/// is linked with SQLite uses that copy.
package struct SQLiteLibrary: Sendable {
  /// The file that was opened; nil if this program is linked with SQLite.
  package let path: String?
  let functions: sqlite_functions

  /// Returns the instance that the process shares.
  ///
  /// - Throws: `TensorIOError` with the code `missingLibrary`.
  package static var shared: SQLiteLibrary { get throws(TensorIOError) { try opened.get() } }

  private static let opened = Result { () throws(TensorIOError) in try SQLiteLibrary() }

  private init() throws(TensorIOError) {
    var functions = sqlite_functions()
    if sqlite_linked_functions(&functions) {
      path = nil
    } else {
      let library = try NativeLibrary(
        "SQLite, which stores results and labels,",
        fileNames: ["libsqlite3.so.0", "libsqlite3.so", "libsqlite3.dylib"],
        overriddenBy: "TENSORIO_SQLITE_LIBRARY", installedBy: "run 'apt-get install libsqlite3-0'")
      try library.load(&functions, named: sqlite_function_name, of: "SQLite", "3.20 or newer")
      path = library.path
    }
    self.functions = functions
  }
}
