// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import TensorIO

@Suite struct JSONValueTests {
  @Test func `a value is encoded to the text it was read from`() throws {
    let text = #"{"a":[1,2.5,-3,9007199254740993,true,null,"é"],"b":{}}"#
    let value = try JSONValue(parsing: Data(text.utf8))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == text)
  }

  @Test func `integers that a double can't hold keep every digit`() throws {
    #expect(
      try JSONValue(parsing: Data("9007199254740993".utf8)) == .integer(9_007_199_254_740_993))
    #expect(
      try JSONValue(parsing: Data("9223372036854775807".utf8)) == .integer(.max))
    #expect(try JSONValue(parsing: Data("18446744073709551616".utf8)) == .number(0x1p64))
    // Those that a double can hold are ordinary numbers, however they are written.
    for (text, number) in [("1e16", 1e16), ("1.7e18", 1.7e18), ("-9223372036854775808", -0x1p63)] {
      #expect(try JSONValue(parsing: Data(text.utf8)) == .number(number))
    }
  }

  @Test func `Booleans aren't numbers`() throws {
    #expect(try JSONValue(parsing: Data("[true, 1]".utf8)) == .array([.bool(true), .number(1)]))
  }
}
