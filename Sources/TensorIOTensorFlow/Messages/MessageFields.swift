// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Reads the fields of a message in Protocol Buffers' binary format.
///
/// A field consists of a key (its number and the encoding of its value) and the value. Source:
/// https://protobuf.dev/programming-guides/encoding
struct MessageFields {
  /// The error for a message that ends within a field, or has an invalid field.
  struct Damaged: Error {}

  /// A field of a message.
  struct Field {
    let number: Int
    /// The content of a field of bytes, a string or a message; nil for a number.
    let value: ArraySlice<UInt8>?
    /// The number of a field of variable length; nil for any other field.
    let integer: UInt64?
    /// The field's encoded bytes, including its key.
    let written: ArraySlice<UInt8>

    /// Returns the text of a string field, or nil for a number.
    func text() throws -> String? {
      guard let value else { return nil }
      guard let text = String(validating: value, as: UTF8.self) else { throw Damaged() }
      return text
    }
  }

  private var rest: ArraySlice<UInt8>

  /// Returns the fields of a message, in the order in which they are written.
  static func read(_ message: ArraySlice<UInt8>) throws(Damaged) -> [Field] {
    var message = MessageFields(rest: message)
    var fields: [Field] = []
    while !message.rest.isEmpty { fields.append(try message.field()) }
    return fields
  }

  private mutating func field() throws(Damaged) -> Field {
    let message = rest
    let key = try number()
    guard let number = Int(exactly: key >> 3), number > 0 else { throw Damaged() }
    var value: ArraySlice<UInt8>?
    var integer: UInt64?
    switch key & 7 {
    case 0: integer = try self.number()
    case 1: _ = try take(8)
    case 2: value = try take(self.number())
    case 5: _ = try take(4)
    // Groups were last written before TensorFlow existed.
    default: throw Damaged()
    }
    return Field(
      number: number, value: value, integer: integer, written: message[..<rest.startIndex])
  }

  /// Reads a variable-length number.
  ///
  /// Each byte holds seven bits, the lowest first. The last byte is below 128.
  private mutating func number() throws(Damaged) -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard let byte = rest.popFirst() else { throw Damaged() }
      number |= UInt64(byte & 127) << shift
      if byte < 128 { return number }
    }
    throw Damaged()
  }

  private mutating func take(_ count: UInt64) throws(Damaged) -> ArraySlice<UInt8> {
    guard count <= UInt64(rest.count) else { throw Damaged() }
    defer { rest = rest.dropFirst(Int(count)) }
    return rest.prefix(Int(count))
  }
}

extension [UInt8] {
  /// Appends a field of bytes, a string or a message.
  mutating func append(field number: UInt8, _ value: some Collection<UInt8>) {
    append(number << 3 | 2)
    append(varint: UInt64(value.count))
    append(contentsOf: value)
  }

  /// Appends a variable-length number: seven bits in each byte, the lowest first.
  mutating func append(varint number: UInt64) {
    var rest = number
    while rest > 127 {
      append(UInt8(rest & 127) | 128)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}
