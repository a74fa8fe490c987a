// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Scans JSON to find where it is malformed, and in which order its keys are.
struct JSONFaultScanner {
  struct Fault: Error {
    var offset: Int
    var reason: String
  }

  private let bytes: [UInt8]
  private var offset = 0
  private let deepest = 512

  init(bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
  }

  /// Reads the whole document.
  mutating func document() throws(Fault) -> JSONOutline {
    if let invalid = firstInvalidUTF8() {
      throw Fault(offset: invalid, reason: "the bytes are not UTF-8")
    }
    let outline = try value(depth: 0)
    skipSpace()
    if offset < bytes.count { throw fault("the end of the document was expected") }
    return outline
  }

  private func firstInvalidUTF8() -> Int? {
    var parser = UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    var valid = 0
    while true {
      switch parser.parseScalar(from: &iterator) {
      case .valid(let scalar): valid += scalar.count
      case .error: return valid
      case .emptyInput: return nil
      }
    }
  }

  private func fault(_ reason: String) -> Fault {
    guard offset < bytes.count else {
      return Fault(offset: bytes.count, reason: "the document ends here, but \(reason)")
    }
    let found =
      switch bytes[offset] {
      case 0x20..<0x7F: "'\(Unicode.Scalar(bytes[offset]))'"
      case 0x80...: "a character"
      default: "a control character"
      }
    return Fault(offset: offset, reason: "found \(found), but \(reason)")
  }

  private mutating func skipSpace() {
    while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      offset += 1
    }
  }

  private func peek() -> UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func value(depth: Int) throws(Fault) -> JSONOutline {
    skipSpace()
    switch peek() {
    case UInt8(ascii: "{"): return .object(try members(depth: depth))
    case UInt8(ascii: "["): return .array(try elements(depth: depth))
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "t"): try word("true")
    case UInt8(ascii: "f"): try word("false")
    case UInt8(ascii: "n"): try word("null")
    default: try number()
    }
    return .plain
  }

  private mutating func open(depth: Int) throws(Fault) {
    guard depth < deepest else {
      throw fault("values can be nested at most \(deepest) levels deep")
    }
    offset += 1
    skipSpace()
  }

  private mutating func members(
    depth: Int
  ) throws(Fault) -> [(key: String, value: JSONOutline)] {
    try open(depth: depth)
    var members: [(key: String, value: JSONOutline)] = []
    while peek() != UInt8(ascii: "}") {
      guard peek() == UInt8(ascii: "\"") else { throw fault("a key in quotes was expected") }
      let key = try key()
      skipSpace()
      guard peek() == UInt8(ascii: ":") else { throw fault("':' was expected after the key") }
      offset += 1
      members.append((key, try value(depth: depth + 1)))
      try separator(before: UInt8(ascii: "}"), named: "',' or '}' was expected")
    }
    offset += 1
    return members
  }

  private mutating func elements(depth: Int) throws(Fault) -> [JSONOutline] {
    try open(depth: depth)
    var elements: [JSONOutline] = []
    while peek() != UInt8(ascii: "]") {
      elements.append(try value(depth: depth + 1))
      try separator(before: UInt8(ascii: "]"), named: "',' or ']' was expected")
    }
    offset += 1
    return elements
  }

  private mutating func separator(before end: UInt8, named reason: String) throws(Fault) {
    skipSpace()
    if peek() == UInt8(ascii: ",") {
      offset += 1
      skipSpace()
    } else if peek() != end {
      throw fault(reason)
    }
  }

  private mutating func key() throws(Fault) -> String {
    let start = offset
    try string()
    let quoted = bytes[start..<offset]
    guard quoted.contains(UInt8(ascii: "\\")) else {
      return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
    }
    guard let key = try? JSONDecoder().decode(String.self, from: Data(quoted)) else {
      throw Fault(offset: start, reason: "the key that starts here isn't text")
    }
    return key
  }

  private mutating func string() throws(Fault) {
    let start = offset
    offset += 1
    while let byte = peek(), byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw fault("control characters must be escaped in a string") }
      guard byte == UInt8(ascii: "\\") else {
        offset += 1
        continue
      }
      offset += 1
      guard let escape = peek() else { break }
      guard "\"\\/bfnrtu".utf8.contains(escape) else { throw fault("it isn't a valid escape") }
      offset += 1
      if escape == UInt8(ascii: "u") { try codePoint() }
    }
    guard peek() != nil else {
      throw Fault(offset: start, reason: "the string that starts here is never closed")
    }
    offset += 1
  }

  /// Reads the digits after `\u`, and the second half of a surrogate pair.
  private mutating func codePoint() throws(Fault) {
    let start = offset - 2
    let unit = try hexadecimalDigits()
    guard UTF16.isLeadSurrogate(unit) || UTF16.isTrailSurrogate(unit) else { return }
    let halfFault = Fault(offset: start, reason: "half of a surrogate pair isn't a character")
    guard UTF16.isLeadSurrogate(unit), bytes[offset...].starts(with: "\\u".utf8) else {
      throw halfFault
    }
    offset += 2
    guard UTF16.isTrailSurrogate(try hexadecimalDigits()) else { throw halfFault }
  }

  private mutating func hexadecimalDigits() throws(Fault) -> UInt16 {
    var value: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = peek(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw fault("\\u takes four hexadecimal digits")
      }
      value = value << 4 | UInt16(digit)
      offset += 1
    }
    return value
  }

  private mutating func word(_ word: StaticString) throws(Fault) {
    for byte in "\(word)".utf8 {
      guard peek() == byte else { throw fault("'\(word)' was expected") }
      offset += 1
    }
  }

  private mutating func number() throws(Fault) {
    guard let first = peek(), first == UInt8(ascii: "-") || isDigit(first) else {
      throw fault("a value was expected")
    }
    let start = offset
    while let byte = peek(), isDigit(byte) || "+-.eE".utf8.contains(byte) { offset += 1 }
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    guard isNumber(bytes[start..<offset]), let value = Double(text) else {
      throw Fault(offset: start, reason: "'\(text)' is not a number")
    }
    let mantissa = text.prefix { $0 != "e" && $0 != "E" }
    let isTooSmall = value == 0 && mantissa.contains { "123456789".contains($0) }
    guard value.isFinite, !isTooSmall else {
      throw Fault(
        offset: start,
        reason: "'\(text)' is too \(isTooSmall ? "small" : "large") for a 64-bit number")
    }
  }

  /// Whether text matches JSON's grammar: a sign, digits without a leading zero, a fraction, an
  /// exponent.
  private func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
    var rest = text.first == UInt8(ascii: "-") ? text.dropFirst() : text
    let whole = rest.prefix(while: isDigit)
    rest = rest.dropFirst(whole.count)
    guard !whole.isEmpty, whole.count == 1 || whole.first != UInt8(ascii: "0") else { return false }
    if rest.first == UInt8(ascii: ".") {
      let fraction = rest.dropFirst().prefix(while: isDigit)
      guard !fraction.isEmpty else { return false }
      rest = rest.dropFirst(fraction.count + 1)
    }
    guard let byte = rest.first else { return true }
    guard byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") else { return false }
    rest = rest.dropFirst()
    if let sign = rest.first, "+-".utf8.contains(sign) { rest = rest.dropFirst() }
    return !rest.isEmpty && rest.allSatisfy(isDigit)
  }

  private func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}

/// The order of the keys in a JSON document, which decoders don't preserve.
///
/// ``JSONValue`` has the values.
package indirect enum JSONOutline {
  case object([(key: String, value: JSONOutline)])
  case array([JSONOutline])
  /// Any value other than an object or array.
  case plain

  /// Outlines a document.
  ///
  /// The result is nil if the document is malformed.
  package init?(_ data: Data) {
    var scanner = JSONFaultScanner(bytes: Array(data))
    guard let outline = try? scanner.document() else { return nil }
    self = outline
  }

  /// The keys of an object, in the document's order.
  ///
  /// Empty for other values.
  package var keys: [String] {
    if case .object(let members) = self { members.map(\.key) } else { [] }
  }

  /// The member of an object, or nil if there is none.
  package subscript(key: String) -> JSONOutline? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.key == key }?.value
  }

  /// The element of an array, or nil if there is none.
  package subscript(index: Int) -> JSONOutline? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// The paths of keys that occur twice in an object.
  package func repeatedKeys(at path: String = "") -> [String] {
    switch self {
    case .plain: return []
    case .array(let elements):
      return elements.enumerated().flatMap { $1.repeatedKeys(at: "\(path)[\($0)]") }
    case .object(let members):
      var seen: Set<String> = []
      return members.flatMap { key, value in
        let location = path.isEmpty ? key : "\(path).\(key)"
        return (seen.insert(key).inserted ? [] : [location]) + value.repeatedKeys(at: location)
      }
    }
  }
}
