// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Reads the text of a Python value: dictionaries, lists, tuples, texts, numbers, booleans, None.
///
/// Python's `ast.literal_eval` reads the same values. Keys that are numbers become text, and tuples
/// become arrays.
struct PythonLiteral {
  private let bytes: [UInt8]
  private var position = 0
  private static let deepest = 64

  private struct Fault: Error {}

  /// Returns the value, or nil if the text isn't one.
  static func read(_ bytes: [UInt8]) -> JSONValue? {
    var reader = PythonLiteral(bytes: bytes)
    guard let value = try? reader.value(depth: 0) else { return nil }
    reader.skipSpace()
    return reader.position == bytes.count ? value : nil
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || (0x09...0x0D).contains(byte) { position += 1 }
  }

  /// Passes a character if it comes next.
  private mutating func pass(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws -> JSONValue {
    guard depth < Self.deepest else { throw Fault() }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"):
      var members: [String: JSONValue] = [:]
      try list("}") { reader in
        let key = try reader.key(depth: depth)
        guard reader.pass(":") else { throw Fault() }
        members[key] = try reader.value(depth: depth + 1)
      }
      return .object(members)
    case UInt8(ascii: "["), UInt8(ascii: "("):
      var elements: [JSONValue] = []
      try list(next == UInt8(ascii: "[") ? "]" : ")") { reader in
        elements.append(try reader.value(depth: depth + 1))
      }
      return .array(elements)
    case UInt8(ascii: "'"), UInt8(ascii: "\""): return .string(try text())
    default: return try word()
    }
  }

  /// Reads elements that commas separate, up to a closing bracket.
  private mutating func list(
    _ end: Unicode.Scalar, _ element: (inout PythonLiteral) throws -> Void
  ) throws {
    position += 1
    while !pass(end) {
      try element(&self)
      guard pass(",") else {
        guard pass(end) else { throw Fault() }
        return
      }
    }
  }

  private mutating func key(depth: Int) throws -> String {
    switch try value(depth: depth + 1) {
    case .string(let text): return text
    case .number(let number):
      guard let integer = Int(exactly: number) else { throw Fault() }
      return "\(integer)"
    default: throw Fault()
    }
  }

  private mutating func word() throws -> JSONValue {
    let start = position
    while let byte = next, !" ,:]})\n\r\t".utf8.contains(byte) { position += 1 }
    switch String(decoding: bytes[start..<position], as: UTF8.self) {
    case "True": return .bool(true)
    case "False": return .bool(false)
    case "None": return .null
    case let word:
      guard let number = Double(word), number.isFinite else { throw Fault() }
      return .number(number)
    }
  }

  // MARK: - Texts

  private mutating func text() throws -> String {
    let quote = next
    position += 1
    var scalars: [UInt8] = []
    while let byte = next, byte != quote {
      position += 1
      if byte == UInt8(ascii: "\\") { try escape(into: &scalars) } else { scalars.append(byte) }
    }
    guard next == quote, let text = String(validating: scalars, as: UTF8.self) else {
      throw Fault()
    }
    position += 1
    return text
  }

  private static let escapes: [UInt8: UInt8] = [
    UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "'"): 0x27, UInt8(ascii: "\""): 0x22,
  ]

  private mutating func escape(into scalars: inout [UInt8]) throws {
    guard let letter = next else { throw Fault() }
    position += 1
    if let byte = Self.escapes[letter] { return scalars.append(byte) }
    let digits: Int
    switch letter {
    case UInt8(ascii: "x"): digits = 2
    case UInt8(ascii: "u"): digits = 4
    case UInt8(ascii: "U"): digits = 8
    default: throw Fault()
    }
    guard position + digits <= bytes.count,
      let code = UInt32(
        String(decoding: bytes[position..<(position + digits)], as: UTF8.self), radix: 16),
      let scalar = Unicode.Scalar(code)
    else { throw Fault() }
    position += digits
    scalars += Array(String(Character(scalar)).utf8)
  }
}
