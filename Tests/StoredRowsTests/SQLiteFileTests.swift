// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoredRows
import Testing

@Suite struct SQLiteFileTests {
  private let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite").path
  private let schema = SQLiteSchema(
    applicationID: 7,
    steps: [
      ("one", "CREATE TABLE thing (id INTEGER PRIMARY KEY, value); CREATE INDEX i ON thing (value)")
    ])

  private func open(_ schema: SQLiteSchema? = nil) throws -> SQLiteFile {
    try SQLiteFile(path, busySeconds: 1, isDurable: true, schema: schema ?? self.schema)
  }

  private func remove() {
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
  }

  @Test func `values of every type are read back as they were stored`() throws {
    defer { remove() }
    let file = try open()
    let kept: [(any StoredValueConvertible)?] = [
      nil, 0, Int.min, Int.max, 1.5, Double.infinity, -0.0, "", "é\u{0}日", true, false,
    ]
    try file.write { database in
      for value in kept { try database.execute("INSERT INTO thing (value) VALUES (?)", [value]) }
      #expect(database.lastInsertedRowID == kept.count)
    }
    let found = try file.read { try $0.rows("SELECT value FROM thing ORDER BY id") }
    #expect(found.map { $0.values[0] } == kept.map { $0?.storedValue ?? .null })
    let blob = try file.read { try $0.firstValue("SELECT x'00ff'") }
    #expect(blob == .blob(Data([0, 255])))
  }

  @Test func `a change is rolled back when its body throws`() throws {
    defer { remove() }
    let file = try open()
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try file.write { database in
        try database.execute("INSERT INTO thing (value) VALUES (1)")
        throw Stop()
      }
    }
    #expect(try file.read { try $0.firstValue("SELECT COUNT(*) FROM thing") } == .integer(0))
    try file.write { try $0.execute("INSERT INTO thing (value) VALUES (2)") }
    #expect(try open().read { try $0.firstValue("SELECT value FROM thing") } == .integer(2))
  }

  @Test func `an invalid statement and a file that isn't a database are errors`() throws {
    defer { remove() }
    let wrong = #expect(throws: SQLiteError.self) {
      try open().read { _ = try $0.rows("SELECT value FROM nowhere") }
    }
    #expect(wrong?.code == .error)
    #expect(wrong?.message == "no such table: nowhere")
    remove()
    try Data(repeating: 65, count: 5000).write(to: URL(filePath: path))
    let foreign = #expect(throws: SQLiteError.self) { _ = try open() }
    #expect(foreign?.code == .notADatabase)
    #expect(try Data(contentsOf: URL(filePath: path)) == Data(repeating: 65, count: 5000))
  }

  @Test func `files of other programs and newer versions are left unchanged`() throws {
    defer { remove() }
    _ = try open(SQLiteSchema(applicationID: 8, steps: [("other", "CREATE TABLE other (id)")]))
    let before = try Data(contentsOf: URL(filePath: path))
    #expect(throws: SQLiteSchema.Mismatch.foreign) { _ = try open() }
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    remove()
    _ = try open(
      SQLiteSchema(applicationID: 7, steps: [("one", "CREATE TABLE a (id)"), ("two", "")]))
    #expect(throws: SQLiteSchema.Mismatch.newer) { _ = try open() }
  }

  @Test func `a file that stays locked by another connection is an error after a wait`() throws {
    defer { remove() }
    let file = try open()
    let other = try SQLiteConnection(path, busySeconds: 0)
    try other.execute("BEGIN IMMEDIATE")
    let error = #expect(throws: SQLiteError.self) {
      try file.write { try $0.execute("INSERT INTO thing (value) VALUES (1)") }
    }
    #expect(error?.code == .busy)
    try other.execute("COMMIT")
    try file.write { try $0.execute("INSERT INTO thing (value) VALUES (1)") }
  }

  @Test func `a query can be reused after its body stopped early`() throws {
    defer { remove() }
    let file = try open()
    try file.write { database in
      for value in 0..<3 { try database.execute("INSERT INTO thing (value) VALUES (?)", [value]) }
    }
    struct Stop: Error {}
    for _ in 0..<2 {
      var seen = 0
      #expect(throws: Stop.self) {
        try file.read { database in
          try database.forEachRow("SELECT value FROM thing") { _ in
            seen += 1
            if seen == 2 { throw Stop() }
          }
        }
      }
      #expect(seen == 2)
    }
  }
}
