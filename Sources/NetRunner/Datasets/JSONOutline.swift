// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The order of the keys in a JSON document, which decoders don't preserve.
///
/// Only documents that `JSONValue(parsing:)` has accepted are outlined. It checks the grammar, so
/// this type checks only what it needs to walk the document.
indirect enum JSONOutline {
  case object([(key: String, value: JSONOutline)])
  case array([JSONOutline])
  /// Any value other than an object or array.
  case plain

  /// Outlines a document.
  ///
  /// The result is nil if the document isn't UTF-8 or is nested too deeply.
  init?(_ data: Data) {
    var scanner = Scanner(bytes: Array(data))
    guard let outline = scanner.document() else { return nil }
    self = outline
  }

  /// The keys of an object, in the document's order.
  ///
  /// Empty for other values.
  var keys: [String] {
    if case .object(let members) = self { members.map(\.key) } else { [] }
  }

  /// The member of an object, or nil if there is none.
  subscript(key: String) -> JSONOutline? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.key == key }?.value
  }

  /// The element of an array, or nil if there is none.
  subscript(index: Int) -> JSONOutline? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// The paths of keys that occur twice in an object.
  func repeatedKeys(at path: String = "") -> [String] {
    switch self {
    case .plain: return []
    case .array(let elements):
      return elements.enumerated().flatMap { $1.repeatedKeys(at: "\(path)[\($0)]") }
    case .object(let members):
      var seen: Set<String> = []
      return members.flatMap { key, value in
        let place = path.isEmpty ? key : "\(path).\(key)"
        return (seen.insert(key).inserted ? [] : [place]) + value.repeatedKeys(at: place)
      }
    }
  }
}

private struct Scanner {
  private let bytes: [UInt8]
  private var offset = 0
  /// The maximum nesting depth, which is the same as JSONDecoder's.
  private let deepest = 512

  init(bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
  }

  mutating func document() -> JSONOutline? {
    guard let value = value(depth: 0) else { return nil }
    skipSpace()
    return offset == bytes.count ? value : nil
  }

  private func peek() -> UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func skipSpace() {
    while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      offset += 1
    }
  }

  private mutating func value(depth: Int) -> JSONOutline? {
    guard depth <= deepest else { return nil }
    skipSpace()
    switch peek() {
    case UInt8(ascii: "{"): return object(depth: depth)
    case UInt8(ascii: "["): return array(depth: depth)
    case UInt8(ascii: "\""): return string() == nil ? nil : .plain
    case nil: return nil
    default:
      let start = offset
      while let byte = peek(), byte > 0x20, !",]}".utf8.contains(byte) { offset += 1 }
      return offset > start ? .plain : nil
    }
  }

  private mutating func object(depth: Int) -> JSONOutline? {
    offset += 1
    var members: [(key: String, value: JSONOutline)] = []
    while true {
      skipSpace()
      if peek() == UInt8(ascii: "}") { break }
      guard peek() == UInt8(ascii: "\""), let key = string() else { return nil }
      skipSpace()
      guard peek() == UInt8(ascii: ":") else { return nil }
      offset += 1
      guard let value = value(depth: depth + 1) else { return nil }
      members.append((key, value))
      guard separator(before: UInt8(ascii: "}")) else { return nil }
    }
    offset += 1
    return .object(members)
  }

  private mutating func array(depth: Int) -> JSONOutline? {
    offset += 1
    var elements: [JSONOutline] = []
    while true {
      skipSpace()
      if peek() == UInt8(ascii: "]") { break }
      guard let value = value(depth: depth + 1) else { return nil }
      elements.append(value)
      guard separator(before: UInt8(ascii: "]")) else { return nil }
    }
    offset += 1
    return .array(elements)
  }

  private mutating func separator(before end: UInt8) -> Bool {
    skipSpace()
    if peek() == UInt8(ascii: ",") {
      offset += 1
      return true
    }
    return peek() == end
  }

  /// Reads a string.
  ///
  /// JSONDecoder decodes its escapes.
  private mutating func string() -> String? {
    let start = offset
    offset += 1
    var hasEscapes = false
    while let byte = peek(), byte != UInt8(ascii: "\"") {
      if byte == UInt8(ascii: "\\") {
        hasEscapes = true
        offset += 1
      }
      offset += 1
    }
    guard peek() != nil else { return nil }
    offset += 1
    if hasEscapes {
      return try? JSONDecoder().decode(String.self, from: Data(bytes[start..<offset]))
    }
    return String(validating: bytes[(start + 1)..<(offset - 1)], as: UTF8.self)
  }
}
