// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO

/// Reads a JSON document in one pass, in which a tensor's numbers become elements directly.
///
/// A general decoder takes about a hundred bytes of memory for each number, and a hundred times as
/// long. It is used only for small values.
struct JSONScanner {
  /// The document, which isn't copied: copying 40 MB takes as long as a small model's run.
  let bytes: UnsafeRawBufferPointer
  var position: Int

  /// The maximum number of bytes of a part that isn't a tensor's elements.
  private static let maximumPart = 1 << 20
  /// The maximum depth of nested brackets, which is the maximum number of a tensor's axes.
  private static let maximumDepth = 16
  /// The number of elements to read before other threads may run, which takes about 0.1 ms.
  private static let elementsInARow = 2048

  /// - Parameter bytes: The document, which must outlive the scanner.
  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  // MARK: - Structure

  /// Reads an object, calling a closure at each member's value, which the closure must read.
  mutating func object(
    _ what: String, _ body: (inout JSONScanner, _ key: String) throws -> Void
  ) throws {
    guard next() == UInt8(ascii: "{") else { throw wrong("\(what) must be an object") }
    position += 1
    var keys: Set<String> = []
    if next() == UInt8(ascii: "}") {
      position += 1
      return
    }
    while true {
      let key = try string()
      guard keys.insert(key).inserted else { throw wrong("\(what) has '\(key)' twice") }
      guard next() == UInt8(ascii: ":") else { throw wrong("':' is missing after '\(key)'") }
      position += 1
      try body(&self, key)
      if try ends(with: UInt8(ascii: "}")) { return }
    }
  }

  /// Reads an array, calling a closure at each element, which the closure must read.
  mutating func array(_ what: String, _ body: (inout JSONScanner) throws -> Void) throws {
    guard next() == UInt8(ascii: "[") else { throw wrong("\(what) must be an array") }
    position += 1
    if next() == UInt8(ascii: "]") {
      position += 1
      return
    }
    repeat { try body(&self) } while try !ends(with: UInt8(ascii: "]"))
  }

  /// Reads a small value of any kind.
  mutating func value() throws -> JSONValue {
    _ = next()
    let start = position
    try skip()
    guard position - start <= Self.maximumPart else {
      throw wrong("a part of the document that isn't a tensor's data is too large")
    }
    return try decoded(start..<position)
  }

  /// Skips a value, so that it can be read later.
  mutating func skip() throws {
    var depth = 0
    repeat {
      switch next() {
      case UInt8(ascii: "\"")?: try skipString()
      case UInt8(ascii: "[")?, UInt8(ascii: "{")?:
        depth += 1
        position += 1
      case UInt8(ascii: "]")?, UInt8(ascii: "}")?:
        guard depth > 0 else { throw wrong("a value is missing") }
        depth -= 1
        position += 1
      case UInt8(ascii: ",")?, UInt8(ascii: ":")?:
        guard depth > 0 else { throw wrong("a value is missing") }
        position += 1
      case nil: throw wrong("the document ends too early")
      default: while let byte = peek(), !Self.endsWord(byte) { position += 1 }
      }
    } while depth > 0
  }

  /// Requires that nothing follows the document.
  mutating func end() throws {
    guard next() == nil else { throw wrong("the document is followed by other text") }
  }

  private mutating func ends(with bracket: UInt8) throws -> Bool {
    let byte = next()
    guard byte == UInt8(ascii: ",") || byte == bracket else {
      throw wrong("',' or '\(Character(UnicodeScalar(bracket)))' is missing")
    }
    position += 1
    return byte == bracket
  }

  // MARK: - Elements

  /// Reads a tensor's elements, flat or nested, in row-major order.
  ///
  /// Rows of different lengths and more than `count` elements are errors.
  @inline(__always)
  mutating func elements<Element>(
    of name: String, count: Int, _ element: (inout JSONScanner) throws -> Element
  ) throws -> [Element] {
    guard next() == UInt8(ascii: "[") else { throw wrong("the data of '\(name)' must be an array") }
    var elements: [Element] = []
    elements.reserveCapacity(min(count, (bytes.count - position) / 2 + 1))
    /// The index of each open bracket's first element, and the length of the brackets at each
    /// depth.
    var starts: [Int] = []
    var lengths: [Int?] = []
    var deepest: Int?
    repeat {
      if next() == UInt8(ascii: "[") {
        position += 1
        guard starts.count < Self.maximumDepth else {
          throw wrong("the data of '\(name)' is nested more than \(Self.maximumDepth) levels deep")
        }
        starts.append(elements.count)
        if lengths.count < starts.count { lengths.append(nil) }
        guard next() == UInt8(ascii: "]") else { continue }
      } else {
        guard deepest ?? starts.count == starts.count else {
          throw wrong("the data of '\(name)' has elements at different depths")
        }
        deepest = starts.count
        guard elements.count < count else {
          throw WebError.badRequest("'\(name)' has more than the \(count) elements of its shape.")
        }
        elements.append(try element(&self))
        // Let requests with images that wait for a processor run first.
        if elements.count.isMultiple(of: Self.elementsInARow) { sched_yield() }
      }
      while next() == UInt8(ascii: "]"), let start = starts.popLast() {
        position += 1
        let length = elements.count - start
        guard lengths[starts.count] ?? length == length else {
          throw wrong("the data of '\(name)' has rows of different lengths")
        }
        lengths[starts.count] = length
        if starts.isEmpty { return elements }
      }
      guard next() == UInt8(ascii: ",") else {
        throw wrong("',' or ']' is missing in the data of '\(name)'")
      }
      position += 1
    } while true
  }

  mutating func number(of name: String) throws -> JSONNumber {
    var number = JSONNumber()
    guard let first = next() else { throw wrong("the document ends too early") }
    let start = position
    if first == UInt8(ascii: "-") {
      number.isNegative = true
      position += 1
    }
    let whole = digits(into: &number, isFraction: false)
    guard whole > 0, whole == 1 || bytes[position - whole] != UInt8(ascii: "0") else {
      position = start
      throw wrong("'\(name)' must contain only numbers, not \(nextKind())")
    }
    if peek() == UInt8(ascii: ".") {
      position += 1
      guard digits(into: &number, isFraction: true) > 0 else {
        throw wrong("a digit is missing after '.'")
      }
    }
    if peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") {
      position += 1
      let sign = peek()
      if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { position += 1 }
      var exponent = JSONNumber()
      guard digits(into: &exponent, isFraction: false) > 0 else {
        throw wrong("a digit is missing in an exponent")
      }
      let power = exponent.isLong ? 100_000 : Int(min(exponent.digits, 100_000))
      number.exponent += sign == UInt8(ascii: "-") ? -power : power
    }
    if let byte = peek(), !Self.endsWord(byte) { throw wrong("a number is followed by other text") }
    return number
  }

  /// Reads a number as the nearest double.
  @inline(__always)
  mutating func double(of name: String) throws -> Double {
    _ = next()
    let start = position
    if let double = try number(of: name).double { return double }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard let double = Double(text), double.isFinite else {
      throw wrong("'\(text.prefix(40))' in '\(name)' is too large for a 64-bit number")
    }
    return double
  }

  @inline(__always)
  private mutating func digits(into number: inout JSONNumber, isFraction: Bool) -> Int {
    let start = position
    while position < bytes.count {
      let digit = bytes[position] &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      position += 1
      if number.digits < 1_000_000_000_000_000_000 {
        number.digits = number.digits * 10 + UInt64(digit)
        if isFraction { number.exponent -= 1 }
      } else {
        number.isLong = true
      }
    }
    return position - start
  }

  /// Reads `true` or `false`.
  mutating func bool(of name: String) throws -> Bool {
    _ = next()
    for (word, value) in [("true", true), ("false", false)]
    where bytes[position...].starts(with: word.utf8) {
      position += word.utf8.count
      return value
    }
    throw wrong("'\(name)' must contain only true and false, not \(nextKind())")
  }

  mutating func string() throws -> String {
    guard next() == UInt8(ascii: "\"") else { throw wrong("a string in quotes was expected") }
    let start = position
    try skipString()
    guard case .string(let text) = try decoded(start..<position) else {
      throw wrong("a string in quotes was expected")
    }
    return text
  }

  // MARK: - Bytes

  private mutating func skipString() throws {
    let start = position
    position += 1
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return
      case UInt8(ascii: "\\"): position += 2
      default: position += 1
      }
    }
    position = start
    throw wrong("a string has no closing quote")
  }

  private func decoded(_ range: Range<Int>) throws -> JSONValue {
    do {
      return try JSONValue(parsing: Data(bytes[range]))
    } catch {
      throw WebError.badRequest("The request isn't valid JSON: \(error).")
    }
  }

  /// Describes the next value for messages.
  private mutating func nextKind() -> String {
    switch next() {
    case UInt8(ascii: "\"")?: "a string"
    case UInt8(ascii: "{")?: "an object"
    case UInt8(ascii: "n")?: "null"
    case UInt8(ascii: "t")?, UInt8(ascii: "f")?: "a boolean"
    case UInt8(ascii: "N")?, UInt8(ascii: "I")?: "NaN or Infinity, which JSON doesn't support"
    default: "something else"
    }
  }

  @inline(__always)
  private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Returns the next byte that isn't whitespace, without moving past it.
  @inline(__always)
  private mutating func next() -> UInt8? {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      case let byte: return byte
      }
    }
    return nil
  }

  @inline(__always)
  private static func endsWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ":"), 0x20, 0x0A,
      0x0D,
      0x09:
      true
    default: false
    }
  }

  private func wrong(_ reason: String) -> WebError {
    .badRequest("The request is invalid at byte \(position + 1) of its JSON: \(reason).")
  }
}
#endif
