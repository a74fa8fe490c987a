// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import NIOCore
import TensorIO

/// The elements of a tensor that a client sends or receives, in row-major order.
enum WireElements: Sendable {
  case bools([Bool])
  case numbers(any NumberList)
  case strings([Data])

  var count: Int {
    switch self {
    case .bools(let values): values.count
    case .numbers(let list): list.count
    case .strings(let values): values.count
    }
  }

  /// Reads the `data` of a tensor.
  init(_ scanner: inout JSONScanner, type: DataType, count: Int, name: String) throws {
    if let number = type.number {
      self = .numbers(try number.list(&scanner, of: name, count: count, type))
    } else if type == .bool {
      self = .bools(try scanner.elements(of: name, count: count) { try $0.bool(of: name) })
    } else {
      self = .strings(
        try scanner.elements(of: name, count: count) { Data(try $0.string().utf8) })
    }
  }

  /// Reads a binary tensor, whose elements are little-endian and in row-major order.
  ///
  /// Each byte string follows its length, which has four bytes.
  init(_ bytes: ByteBuffer, type: DataType) throws {
    guard type != .string else {
      self = .strings(try Self.strings(bytes))
      return
    }
    guard bytes.readableBytes.isMultiple(of: type.byteWidth) else {
      throw WebError.badRequest(
        "\(bytes.readableBytes) bytes aren't a whole number of \(type.wireName) elements, "
          + "each of which has \(type.byteWidth) bytes.")
    }
    if let number = type.number {
      self = .numbers(number.list(bytes))
    } else {
      self = .bools(bytes.readableBytesView.map { $0 != 0 })
    }
  }

  private static func strings(_ bytes: ByteBuffer) throws -> [Data] {
    var strings: [Data] = []
    var rest = bytes
    while rest.readableBytes > 0 {
      guard let length = rest.readInteger(endianness: .little, as: UInt32.self),
        let string = rest.readSlice(length: Int(length))
      else { throw WebError.badRequest("A BYTES tensor ends in the middle of an element.") }
      strings.append(Data(string.readableBytesView))
    }
    return strings
  }

  func write(to buffer: inout ByteBuffer) {
    switch self {
    case .bools(let values): buffer.writeBytes(values.lazy.map { $0 ? 1 : 0 })
    case .numbers(let list): list.write(to: &buffer)
    case .strings(let values):
      for value in values {
        buffer.writeInteger(UInt32(truncatingIfNeeded: value.count), endianness: .little)
        buffer.writeBytes(value)
      }
    }
  }

  /// Writes the elements as a flat JSON array.
  func writeJSON(to buffer: inout ByteBuffer, name: String) throws {
    buffer.writeString("[")
    switch self {
    case .bools(let values):
      for (index, value) in values.enumerated() {
        buffer.writeString((index == 0 ? "" : ",") + (value ? "true" : "false"))
      }
    case .numbers(let list): try list.writeJSON(to: &buffer, name: name)
    case .strings(let values):
      for (index, value) in values.enumerated() {
        if index > 0 { buffer.writeString(",") }
        buffer.writeBytes(try String(decoding: value, as: UTF8.self).encoded())
      }
    }
    buffer.writeString("]")
  }
}

/// A list of numbers of one type.
protocol NumberList: TensorEncodable {
  var count: Int { get }
  /// Returns the numbers as a tensor with the model's own elements.
  func tensor(_ shape: [Int]) throws -> Tensor
  func write(to buffer: inout ByteBuffer)
  func writeJSON(to buffer: inout ByteBuffer, name: String) throws
}

extension Array: NumberList where Element: WireNumber {
  func tensor(_ shape: [Int]) throws -> Tensor { try Tensor(self, shape: shape) }

  func write(to buffer: inout ByteBuffer) {
    buffer.reserveCapacity(minimumWritableBytes: count * MemoryLayout<Element>.size)
    for number in self { buffer.writeInteger(number.bits, endianness: .little) }
  }

  func writeJSON(to buffer: inout ByteBuffer, name: String) throws {
    for (index, number) in enumerated() {
      if index > 0 { buffer.writeInteger(UInt8(ascii: ",")) }
      buffer.writeString(try number.json(of: name))
    }
  }
}
#endif
