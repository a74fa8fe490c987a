// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import TensorIO

extension WireTensor {
  // MARK: JSON

  /// The elements of a `data` member, nested or flat.
  ///
  /// - Throws: ``WebError`` where one is not of the type.
  static func elements(_ data: JSONValue, of type: WireType, _ name: String) throws -> Elements {
    var flat: [JSONValue] = []
    flatten(data, into: &flat)
    func wrong(_ value: JSONValue) -> WebError {
      .badRequest("'\(name)' is of type \(type.rawValue), and \(value.typeName) is none.")
    }
    switch type {
    case .bool:
      return .bools(
        try flat.map { value in
          guard case .bool(let bool) = value else { throw wrong(value) }
          return bool
        })
    case .bytes:
      return .strings(
        try flat.map { value in
          guard case .string(let text) = value else { throw wrong(value) }
          return Data(text.utf8)
        })
    case .float16, .float32, .float64:
      let numbers = try flat.map { value in
        switch value {
        case .number(let number): number
        case .integer(let integer): Double(integer)
        default: throw wrong(value)
        }
      }
      return type == .float64 ? .doubles(numbers) : .floats(numbers.map { Float($0) })
    case .uint8, .uint16, .uint32, .int8, .int16, .int32, .int64:
      return .integers(
        try flat.map { value in
          let integer: Int64? =
            switch value {
            case .number(let number): Int64(exactly: number)
            case .integer(let integer): integer
            default: nil
            }
          guard let integer, type.holds(integer) else { throw wrong(value) }
          return integer
        })
    }
  }

  private static func flatten(_ value: JSONValue, into flat: inout [JSONValue]) {
    guard case .array(let values) = value else { return flat.append(value) }
    for value in values { flatten(value, into: &flat) }
  }

  /// The elements as a flat array.
  var json: JSONValue {
    switch elements {
    case .bools(let values): .array(values.map(JSONValue.bool))
    case .integers(let values): .array(values.map(JSONValue.integer))
    case .floats(let values): .array(values.map { .number($0.shortestDouble) })
    case .doubles(let values): .array(values.map(JSONValue.number))
    case .strings(let values):
      .array(values.map { .string(String(decoding: $0, as: UTF8.self)) })
    }
  }

  // MARK: Bytes

  /// The elements of a binary tensor: little-endian, row after row; byte strings each behind four
  /// bytes of length.
  ///
  /// - Throws: ``WebError`` where the bytes are no whole elements.
  static func elements(_ bytes: ByteBuffer, of type: WireType) throws -> Elements {
    guard let width = type.byteWidth else { return .strings(try strings(bytes)) }
    guard bytes.readableBytes.isMultiple(of: width) else {
      throw WebError.badRequest(
        "\(bytes.readableBytes) bytes are no whole number of \(type.rawValue) elements.")
    }
    func numbers<Number: FixedWidthInteger>(_: Number.Type) -> [Number] {
      var rest = bytes
      return (0..<bytes.readableBytes / width).compactMap { _ in
        rest.readInteger(endianness: .little, as: Number.self)
      }
    }
    return switch type {
    case .bool: .bools(numbers(UInt8.self).map { $0 != 0 })
    case .uint8: .integers(numbers(UInt8.self).map(Int64.init))
    case .uint16: .integers(numbers(UInt16.self).map(Int64.init))
    case .uint32: .integers(numbers(UInt32.self).map(Int64.init))
    case .int8: .integers(numbers(Int8.self).map(Int64.init))
    case .int16: .integers(numbers(Int16.self).map(Int64.init))
    case .int32: .integers(numbers(Int32.self).map(Int64.init))
    case .int64: .integers(numbers(Int64.self))
    case .float16: .floats(numbers(UInt16.self).map { Float(Float16(bitPattern: $0)) })
    case .float32: .floats(numbers(UInt32.self).map(Float.init(bitPattern:)))
    case .float64: .doubles(numbers(UInt64.self).map(Double.init(bitPattern:)))
    case .bytes: .strings([])
    }
  }

  private static func strings(_ bytes: ByteBuffer) throws -> [Data] {
    var strings: [Data] = []
    var rest = bytes
    while rest.readableBytes > 0 {
      guard let length = rest.readInteger(endianness: .little, as: UInt32.self),
        let string = rest.readSlice(length: Int(length))
      else { throw cut }
      strings.append(Data(string.readableBytesView))
    }
    return strings
  }

  private static var cut: WebError {
    .badRequest("A BYTES tensor ends within an element.")
  }

  /// The elements as a binary tensor.
  var bytes: ByteBuffer {
    var bytes = ByteBuffer()
    func add<Number: FixedWidthInteger>(_ values: some Sequence<Number>) {
      for value in values { bytes.writeInteger(value, endianness: .little) }
    }
    switch elements {
    case .bools(let values): bytes.writeBytes(values.map { $0 ? 1 : 0 })
    case .integers(let values):
      switch type {
      case .uint8, .int8: add(values.map(UInt8.init(truncatingIfNeeded:)))
      case .uint16, .int16: add(values.map(UInt16.init(truncatingIfNeeded:)))
      case .uint32, .int32: add(values.map(UInt32.init(truncatingIfNeeded:)))
      default: add(values)
      }
    case .floats(let values): add(values.map(\.bitPattern))
    case .doubles(let values): add(values.map(\.bitPattern))
    case .strings(let values):
      for value in values {
        add([UInt32(truncatingIfNeeded: value.count)])
        bytes.writeBytes(value)
      }
    }
    return bytes
  }
}

extension WireType {
  /// Whether an integer is of this type.
  fileprivate func holds(_ integer: Int64) -> Bool {
    switch self {
    case .uint8: UInt8(exactly: integer) != nil
    case .uint16: UInt16(exactly: integer) != nil
    case .uint32: UInt32(exactly: integer) != nil
    case .int8: Int8(exactly: integer) != nil
    case .int16: Int16(exactly: integer) != nil
    case .int32: Int32(exactly: integer) != nil
    default: true
    }
  }
}
