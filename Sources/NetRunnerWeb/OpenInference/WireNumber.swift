// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import NIOCore
import TensorIO

/// A number type of the Open Inference Protocol.
protocol WireNumber: TensorNumber, CustomStringConvertible {
  /// The integer type of the number's bits, which are sent in little-endian order.
  associatedtype Bits: FixedWidthInteger
  var bits: Bits { get }
  init(bits: Bits)

  /// Reads a document's next number, or returns nil if this type can't hold it.
  static func read(_ scanner: inout JSONScanner, of name: String) throws -> Self?
  /// Returns the number as JSON.
  func json(of name: String) throws -> String

  // These are requirements so that each type has its own code for them, because generic code is
  // several times slower.

  /// Reads a document's next array of `count` numbers.
  static func list(
    _ scanner: inout JSONScanner, of name: String, count: Int, _ type: DataType
  ) throws -> any NumberList
  /// Reads all complete numbers of a buffer, which are little-endian.
  static func list(_ bytes: some Collection<UInt8>) -> any NumberList
}

extension WireNumber {
  static func list(
    _ scanner: inout JSONScanner, of name: String, count: Int, _ type: DataType
  ) throws -> any NumberList {
    try scanner.elements(of: name, count: count) { scanner -> Self in
      guard let number = try read(&scanner, of: name) else {
        throw WebError.badRequest(
          "'\(name)' has a number that \(type.wireName) can't represent, just before byte "
            + "\(scanner.position + 1) of the JSON.")
      }
      return number
    }
  }

  static func list(_ bytes: some Collection<UInt8>) -> any NumberList {
    let count = bytes.count / MemoryLayout<Self>.size
    #if _endian(little)
    let list = bytes.withContiguousStorageIfAvailable { source in
      [Self](unsafeUninitializedCapacity: count) { numbers, initialized in
        UnsafeMutableRawBufferPointer(numbers).copyMemory(
          from: UnsafeRawBufferPointer(
            rebasing: UnsafeRawBufferPointer(source)[
              ..<(count * MemoryLayout<Self>.size)]))
        initialized = count
      }
    }
    if let list { return list }
    #endif
    var rest = ByteBuffer(bytes: bytes)
    return (0..<count).compactMap { _ in
      rest.readInteger(endianness: .little, as: Bits.self).map(Self.init(bits:))
    }
  }
}

extension WireNumber where Self: FixedWidthInteger {
  var bits: Self { self }
  init(bits: Self) { self = bits }

  @inline(__always)
  static func read(_ scanner: inout JSONScanner, of name: String) throws -> Self? {
    try scanner.number(of: name).integer()
  }

  func json(of name: String) -> String { description }
}

extension Int8: WireNumber {}
extension Int16: WireNumber {}
extension Int32: WireNumber {}
extension Int64: WireNumber {}
extension UInt8: WireNumber {}
extension UInt16: WireNumber {}
extension UInt32: WireNumber {}

extension WireNumber where Self: BinaryFloatingPoint {
  @inline(__always)
  static func read(_ scanner: inout JSONScanner, of name: String) throws -> Self? {
    let number = Self(try scanner.double(of: name))
    return number.isFinite ? number : nil
  }

  func json(of name: String) throws -> String {
    if isFinite { return description }
    // NaN becomes null, as in JavaScript. Infinity is an error, because it would become null too.
    guard isInfinite else { return "null" }
    throw WebError(
      status: .unprocessableContent, code: "output_not_finite",
      message: "The output '\(name)' has an infinite value, which JSON can't represent. Request "
        + "it as binary data, with the parameter 'binary_data'.")
  }
}

extension Float16: WireNumber {
  var bits: UInt16 { bitPattern }
  init(bits: UInt16) { self.init(bitPattern: bits) }
}
extension Float: WireNumber {
  var bits: UInt32 { bitPattern }
  init(bits: UInt32) { self.init(bitPattern: bits) }
}
extension Double: WireNumber {
  var bits: UInt64 { bitPattern }
  init(bits: UInt64) { self.init(bitPattern: bits) }
}

extension DataType {
  /// The type of the numbers, or nil for ``bool`` and ``string``.
  var number: (any WireNumber.Type)? {
    switch self {
    case .uint8: UInt8.self
    case .uint16: UInt16.self
    case .uint32: UInt32.self
    case .int8: Int8.self
    case .int16: Int16.self
    case .int32: Int32.self
    case .int64: Int64.self
    case .float16: Float16.self
    case .float32: Float.self
    case .float64: Double.self
    case .bool, .string: nil
    }
  }
}
#endif
