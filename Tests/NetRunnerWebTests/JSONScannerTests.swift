// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import Testing

@testable import NetRunnerWeb

@Suite struct JSONScannerTests {
  private static func scan<Result>(
    _ text: String, _ body: (inout JSONScanner) throws -> Result
  ) throws -> Result {
    try Array(text.utf8).withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      return try body(&scanner)
    }
  }

  private static func elements(_ text: String, count: Int = 10) throws -> [Double] {
    try scan(text) { scanner in
      try scanner.elements(of: "x", count: count) { try $0.double(of: "x") }
    }
  }

  @Test func `numbers equal the C library's to the last bit`() throws {
    var texts = [
      "0", "-0", "1", "-1.5", "0.1", "1e22", "1e23", "123456789012345678", "9007199254740993",
      "18446744073709551615", "18446744073709551616", "0.1234567890123456789", "5e-324",
      "2.2250738585072011e-308", "1.7976931348623157e308", "1e-400", "0.30000000000000004",
      "123456789012345678901234567890.5", "1.00000017881393432617187499", "4.35e-27", "4.35e-28",
    ]
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<5_000 {
      let bits = UInt64.random(in: .min ... .max, using: &generator)
      let double = Double(bitPattern: bits)
      if double.isFinite { texts.append("\(double)") }
      texts.append("\(Double.random(in: -1...1, using: &generator))")
      texts.append("\(Float.random(in: -1000...1000, using: &generator))")
      let exponent = Int.random(in: -32...24, using: &generator)
      texts.append("\(Int64(truncatingIfNeeded: bits))e\(exponent)")
    }
    let numbers = try Self.elements("[" + texts.joined(separator: ", ") + "]", count: texts.count)
    for (text, number) in zip(texts, numbers) {
      #expect(number.bitPattern == strtod(text, nil).bitPattern, "\(text)")
    }
  }

  @Test(arguments: [
    ("[1,]", "only numbers"), ("[01]", "only numbers"), ("[1.]", "after '.'"),
    ("[1e]", "exponent"), ("[-]", "only numbers"), ("[[1],2]", "different depths"),
    ("[[1,2],[3]]", "different lengths"), ("[NaN]", "NaN"), ("[null]", "not null"),
    ("[\"1\"]", "not a string"), ("[1 2]", "',' or ']'"), ("[1", "',' or ']'"), ("[", "too early"),
    ("[1e400]", "too large"), ("[1x]", "other text"), ("1", "must be an array"),
    ("[1,2,3,4,5,6,7,8,9,10,11]", "more than the 10 elements"),
  ])
  func `the error for invalid JSON says what is wrong`(_ text: String, _ words: String) throws {
    let error = #expect(throws: WebError.self) { try Self.elements(text) }
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }

  @Test func `deeply nested brackets don't overflow the stack`() throws {
    let deep = String(repeating: "[", count: 100_000)
    #expect(throws: WebError.self) { try Self.elements(deep) }
    #expect(throws: WebError.self) { try Self.scan(deep) { try $0.skip() } }
  }

  @Test func `an integer is exact or nil`() throws {
    func integer<Integer: FixedWidthInteger>(_ text: String, _: Integer.Type) throws -> Integer? {
      try Self.scan(text) { try $0.number(of: "x").integer() }
    }
    #expect(try integer("-9223372036854775808", Int64.self) == .min)
    #expect(try integer("9223372036854775808", Int64.self) == nil)
    #expect(try integer("255", UInt8.self) == 255)
    #expect(try integer("256", UInt8.self) == nil)
    #expect(try integer("-1", UInt8.self) == nil)
    #expect(try integer("5.0", Int8.self) == 5)
    #expect(try integer("1.5e1", Int8.self) == 15)
    #expect(try integer("1.5", Int8.self) == nil)
    #expect(try integer("1e99999999999999999999", Int8.self) == nil)
  }
}
#endif
