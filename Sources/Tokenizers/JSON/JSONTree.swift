// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A JSON document as a list of its values, which refer to the bytes of the file.
///
/// A dictionary can't hold a vocabulary: its keys would be strings, and strings that differ only in
/// normalization are equal. A list of values also needs less memory: 12 bytes for each.
///
/// It's a class because each ``JSONElement`` refers to it, and a copy of an element would otherwise
/// count several references.
final class JSONTree: Sendable {
  enum Kind: UInt8 {
    case null, bool, number, string, array, object

    /// The kind with its article.
    var name: String {
      switch self {
      case .null: "null"
      case .bool: "a boolean"
      case .number: "a number"
      case .string: "a string"
      case .array: "an array"
      case .object: "an object"
      }
    }
  }

  /// A value; the members of an object are its keys and values in turns.
  struct Node {
    let kind: Kind
    /// Whether a string has escapes.
    var hasEscapes = false
    let start: UInt32
    /// The end of the text; for arrays and objects, the index of the next value that isn't inside.
    var end: UInt32 = 0
  }

  let file: String
  let bytes: [UInt8]
  let nodes: [Node]

  /// The largest file.
  static let mostBytes = 128 << 20
  /// The most values, which is enough for a million tokens with their merges.
  static let mostNodes = 6_000_000

  init(_ bytes: [UInt8], file: String) throws {
    guard bytes.count <= Self.mostBytes else {
      throw TokenizerError("\(file) has \(bytes.count) bytes, but at most 128 MiB were expected.")
    }
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw TokenizerError("\(file) isn't UTF-8. Download or write it again.")
    }
    var parser = JSONParser(bytes: bytes, file: file)
    try parser.value(depth: 0)
    parser.skipSpace()
    guard parser.next == nil else { throw parser.failure("The end of the file was expected.") }
    self.file = file
    self.bytes = bytes
    nodes = parser.nodes
  }
}

/// Reads JSON as RFC 8259 defines it.
private struct JSONParser {
  let bytes: [UInt8]
  let file: String
  var index = 0
  var nodes: [JSONTree.Node] = []

  var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  func failure(_ expected: String) -> TokenizerError {
    var line = 1
    for place in 0..<min(index, bytes.count) where bytes[place] == UInt8(ascii: "\n") { line += 1 }
    return TokenizerError(
      "\(file), line \(line), byte \(index): \(expected) Download or write it again.")
  }

  mutating func skipSpace() {
    while let byte = next, byte == 32 || byte == 10 || byte == 13 || byte == 9 { index += 1 }
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    index += 1
    return true
  }

  private mutating func append(_ kind: JSONTree.Kind, from start: Int) throws {
    guard nodes.count < JSONTree.mostNodes else {
      throw failure("At most \(JSONTree.mostNodes) values were expected.")
    }
    nodes.append(JSONTree.Node(kind: kind, start: UInt32(start), end: UInt32(index)))
  }

  mutating func value(depth: Int) throws {
    guard depth < 128 else { throw failure("At most 128 nested values were expected.") }
    skipSpace()
    let start = index
    switch next {
    case UInt8(ascii: "{"): try contents(.object, close: UInt8(ascii: "}"), depth: depth)
    case UInt8(ascii: "["): try contents(.array, close: UInt8(ascii: "]"), depth: depth)
    case UInt8(ascii: "\""): try string()
    default:
      for word in ["true", "false", "null"] where word.utf8.first == next {
        for byte in Array(word.utf8) where !skip(byte) {
          throw failure("'" + word + "' was expected.")
        }
        return try append(word == "null" ? .null : .bool, from: start)
      }
      try number()
    }
  }

  private mutating func contents(_ kind: JSONTree.Kind, close: UInt8, depth: Int) throws {
    let node = nodes.count
    try append(kind, from: index)
    index += 1
    skipSpace()
    while !skip(close) {
      if nodes.count > node + 1, !skip(UInt8(ascii: ",")) {
        throw failure("',' or the end of " + kind.name + " was expected.")
      }
      if kind == .object {
        skipSpace()
        guard next == UInt8(ascii: "\"") else { throw failure("A key was expected.") }
        try string()
        skipSpace()
        guard skip(UInt8(ascii: ":")) else { throw failure("':' was expected.") }
      }
      try value(depth: depth + 1)
      skipSpace()
    }
    nodes[node].end = UInt32(nodes.count)
  }

  private mutating func string() throws {
    index += 1
    let start = index
    var hasEscapes = false
    while let byte = next, byte != UInt8(ascii: "\"") {
      guard byte >= 32 else { throw failure("A string has a control character.") }
      index += 1
      guard byte == UInt8(ascii: "\\") else { continue }
      hasEscapes = true
      try escape()
    }
    try append(.string, from: start)
    guard skip(UInt8(ascii: "\"")) else { throw failure("A string has no end.") }
    nodes[nodes.count - 1].hasEscapes = hasEscapes
  }

  private mutating func escape() throws {
    let letter = next
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"),
      UInt8(ascii: "u"):
      index += 1
    default: throw failure("A string has an unknown escape.")
    }
    guard letter == UInt8(ascii: "u") else { return }
    let first = try hexadecimal()
    guard 0xD800..<0xE000 ~= first else { return }
    guard first < 0xDC00, skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")),
      0xDC00..<0xE000 ~= (try hexadecimal())
    else { throw failure("A string has half of a surrogate pair.") }
  }

  private mutating func hexadecimal() throws -> UInt32 {
    guard let value = bytes.hexadecimal(index..<(index + 4)) else {
      throw failure("Four hexadecimal digits were expected.")
    }
    index += 4
    return value
  }

  private mutating func digits() throws {
    let start = index
    while let byte = next, 48...57 ~= byte { index += 1 }
    guard index > start else { throw failure("A value was expected.") }
  }

  private mutating func number() throws {
    let start = index
    _ = skip(UInt8(ascii: "-"))
    if !skip(UInt8(ascii: "0")) { try digits() }
    if skip(UInt8(ascii: ".")) { try digits() }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
      try digits()
    }
    try append(.number, from: start)
  }
}
