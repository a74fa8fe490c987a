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

  /// Joins lists of one type.
  init(joining parts: [WireElements]) {
    switch parts.first {
    case .bools: self = .bools(parts.flatMap(\.bools))
    case .strings: self = .strings(parts.flatMap(\.strings))
    case .numbers(let first): self = .numbers(first.joined(with: parts.dropFirst().map(\.numbers)))
    case nil: self = .bools([])
    }
  }

  private var bools: [Bool] { if case .bools(let list) = self { list } else { [] } }
  private var strings: [Data] { if case .strings(let list) = self { list } else { [] } }
  private var numbers: any NumberList {
    if case .numbers(let list) = self { list } else { [UInt8]() }
  }

  /// Returns some of the elements; the range must be within them.
  func part(_ range: Range<Int>) -> WireElements {
    switch self {
    case .bools(let values): .bools(Array(values[range]))
    case .numbers(let list): .numbers(list.part(range))
    case .strings(let values): .strings(Array(values[range]))
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
  init(_ bytes: some Collection<UInt8>, type: DataType) throws {
    guard type != .string else {
      self = .strings(try Self.strings(bytes))
      return
    }
    guard bytes.count.isMultiple(of: type.byteWidth) else {
      throw WebError.badRequest(
        "\(bytes.count) bytes aren't a whole number of \(type.wireName) elements, "
          + "each of which has \(type.byteWidth) bytes.")
    }
    if let number = type.number {
      self = .numbers(number.list(bytes))
    } else {
      self = .bools(bytes.map { $0 != 0 })
    }
  }

  private static func strings(_ bytes: some Collection<UInt8>) throws -> [Data] {
    var strings: [Data] = []
    var rest = ByteBuffer(bytes: bytes)
    while rest.readableBytes > 0 {
      guard let length = rest.readInteger(endianness: .little, as: UInt32.self),
        let string = rest.readSlice(length: Int(length))
      else { throw WebError.badRequest("A BYTES tensor ends in the middle of an element.") }
      strings.append(Data(string.readableBytesView))
    }
    return strings
  }

  /// The elements as a binary tensor.
  var bytes: Data {
    if case .numbers(let list) = self { return list.bytes }
    var buffer = ByteBuffer()
    write(to: &buffer)
    return Data(buffer.readableBytesView)
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
  /// Returns some of the numbers; the range must be within them.
  func part(_ range: Range<Int>) -> any NumberList
  /// Adds lists of the same type.
  func joined(with lists: [any NumberList]) -> any NumberList
  /// The numbers' bytes, which are little-endian.
  var bytes: Data { get }
}

extension Array: NumberList where Element: WireNumber {
  func tensor(_ shape: [Int]) throws -> Tensor { try Tensor(self, shape: shape) }

  func write(to buffer: inout ByteBuffer) {
    #if _endian(little)
    withUnsafeBytes { _ = buffer.writeBytes($0) }
    #else
    buffer.reserveCapacity(minimumWritableBytes: count * MemoryLayout<Element>.size)
    for number in self { buffer.writeInteger(number.bits, endianness: .little) }
    #endif
  }

  var bytes: Data {
    #if _endian(little)
    return withUnsafeBytes { Data($0) }
    #else
    var buffer = ByteBuffer()
    write(to: &buffer)
    return Data(buffer.readableBytesView)
    #endif
  }

  func part(_ range: Range<Int>) -> any NumberList { Array(self[range]) }

  func joined(with lists: [any NumberList]) -> any NumberList {
    var all = self
    all.reserveCapacity(lists.reduce(count) { $0 + $1.count })
    for list in lists { if let list = list as? Self { all += list } }
    return all
  }

  func writeJSON(to buffer: inout ByteBuffer, name: String) throws {
    for (index, number) in enumerated() {
      if index > 0 { buffer.writeInteger(UInt8(ascii: ",")) }
      buffer.writeString(try number.json(of: name))
    }
  }
}
#endif
