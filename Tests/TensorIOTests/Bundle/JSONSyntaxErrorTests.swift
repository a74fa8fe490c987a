// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import TensorIO

@Suite struct JSONSyntaxErrorTests {
  struct Case: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    let line: Int?
    let column: Int?
    let reason: String?
    let means: String?

    enum CodingKeys: String, CodingKey {
      case name = "case"
      case text, line, column, reason, means
    }

    static let all: [Case] = {
      do {
        return try Fixtures.decode([Case].self, from: "syntax.json")
      } catch {
        fatalError("syntax.json cannot be read: \(error)")
      }
    }()

    var testDescription: String { name }
  }

  @Test(arguments: Case.all.filter { $0.means == nil })
  func `malformed JSON is rejected with line and column`(_ item: Case) throws {
    let error = try #require(
      throws: JSONSyntaxError.self, performing: { try JSONValue(parsing: Data(item.text.utf8)) })
    #expect(error.line == item.line)
    #expect(error.column == item.column)
    #expect(error.reason.contains(try #require(item.reason)), "\(error)")
  }

  @Test(arguments: Case.all.filter { $0.means != nil })
  func `JSON with trailing commas is read`(_ item: Case) throws {
    let meaning = try JSONValue(parsing: Data(try #require(item.means).utf8))
    #expect(try JSONValue(parsing: Data(item.text.utf8)) == meaning)
    var scanner = JSONFaultScanner(bytes: Array(item.text.utf8))
    _ = try scanner.document()
  }

  @Test(
    arguments: [
      ([0x5B, 0x22, 0xFF, 0x22, 0x5D], 3), ([0x22, 0xC3, 0x22], 2),
      ([0x22, 0xC3, 0xA9, 0xED, 0xA0, 0x80, 0x22], 3),
    ] as [([UInt8], Int)])
  func `bytes that aren't UTF-8 are reported with line and column`(_ bytes: [UInt8], _ column: Int)
  {
    let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: Data(bytes)) }
    #expect(error?.line == 1)
    #expect(error?.column == column)
    #expect(error?.reason == "the bytes are not UTF-8")
  }

  @Test func `line and column are counted from the start of the data`() {
    let data = Data("xxxx[1 2]".utf8).dropFirst(4)
    let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: data) }
    #expect(error?.column == 4)
  }

  @Test func `values that are nested too deeply are rejected without a crash`() {
    let text = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
    let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: Data(text.utf8)) }
    #expect(error?.reason.contains("512 levels deep") == true)
  }
}
