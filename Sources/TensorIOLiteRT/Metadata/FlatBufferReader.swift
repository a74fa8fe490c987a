// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Reads tables, strings and vectors of an unverified flatbuffer.
///
/// The reader checks every offset before it follows it. It also counts what it reads, because a few
/// bytes can refer to one table a million times and would keep a reader busy for hours.
struct FlatBufferReader {
  /// The position of a table in the buffer, and the range of its field offsets.
  struct Table: Hashable {
    fileprivate let start: Int
    fileprivate let fields: Range<Int>
    fileprivate let byteCount: Int
  }

  private let bytes: UnsafeRawBufferPointer
  private var remainingVisits: Int
  private var remainingText = 1 << 24

  /// Makes a reader.
  ///
  /// - Parameters:
  ///   - bytes: The buffer, which must outlive the reader.
  ///   - visits: The maximum number of tables and numbers to read.
  init(_ bytes: UnsafeRawBufferPointer, visits: Int = 50_000) {
    self.bytes = bytes
    remainingVisits = visits
  }

  /// Returns the root table of a buffer with an identifier of four characters.
  mutating func root(identifier: StaticString) throws(FlatBufferError) -> Table {
    guard bytes.count >= 8, bytes[4..<8].elementsEqual("\(identifier)".utf8) else {
      throw FlatBufferError("its first bytes don't contain the identifier '\(identifier)'")
    }
    return try root()
  }

  /// Returns the root table of a buffer without an identifier.
  mutating func root() throws(FlatBufferError) -> Table { try table(at: try target(at: 0)) }

  // MARK: - Fields

  mutating func string(_ slot: Int, of table: Table) throws(FlatBufferError) -> String? {
    guard let range = try vector(slot, of: table, byteCount: 1) else { return nil }
    return try text(range)
  }

  mutating func strings(_ slot: Int, of table: Table) throws(FlatBufferError) -> [String] {
    guard let range = try vector(slot, of: table, byteCount: 4) else { return [] }
    try count(range.count / 4)
    var strings: [String] = []
    for position in stride(from: range.lowerBound, to: range.upperBound, by: 4) {
      strings.append(try text(try elements(at: try target(at: position), byteCount: 1)))
    }
    return strings
  }

  private mutating func text(_ range: Range<Int>) throws(FlatBufferError) -> String {
    remainingText -= range.count
    guard remainingText >= 0 else { throw FlatBufferError("its strings are too long in total") }
    guard let text = String(validating: bytes[range], as: UTF8.self) else {
      throw FlatBufferError("a string isn't valid UTF-8")
    }
    return text
  }

  mutating func table(_ slot: Int, of table: Table) throws(FlatBufferError) -> Table? {
    guard let position = try position(slot, of: table, byteCount: 4) else { return nil }
    return try self.table(at: try target(at: position))
  }

  mutating func tables(_ slot: Int, of table: Table) throws(FlatBufferError) -> [Table] {
    guard let range = try vector(slot, of: table, byteCount: 4) else { return [] }
    var tables: [Table] = []
    for position in stride(from: range.lowerBound, to: range.upperBound, by: 4) {
      tables.append(try self.table(at: try target(at: position)))
    }
    return tables
  }

  /// Returns what a closure reads from each table of a list.
  mutating func list<Element>(
    _ slot: Int, of table: Table,
    _ read: (Table, inout FlatBufferReader) throws(FlatBufferError) -> Element
  ) throws(FlatBufferError) -> [Element] {
    var elements: [Element] = []
    for table in try tables(slot, of: table) { elements.append(try read(table, &self)) }
    return elements
  }

  mutating func floats(_ slot: Int, of table: Table) throws(FlatBufferError) -> [Float] {
    try numbers(slot, of: table).map { Float(bitPattern: $0) }
  }

  mutating func integers(_ slot: Int, of table: Table) throws(FlatBufferError) -> [Int32] {
    try numbers(slot, of: table).map { Int32(bitPattern: $0) }
  }

  mutating func longs(_ slot: Int, of table: Table) throws(FlatBufferError) -> [Int64] {
    try numbers(slot, of: table).map { Int64(bitPattern: $0) }
  }

  /// Returns the numbers of a vector, or an empty list when the table doesn't have the vector.
  private mutating func numbers<Number: FixedWidthInteger & UnsignedInteger>(
    _ slot: Int, of table: Table
  ) throws(FlatBufferError) -> [Number] {
    let width = MemoryLayout<Number>.size
    guard let range = try vector(slot, of: table, byteCount: width) else { return [] }
    try count(range.count / width)
    var numbers: [Number] = []
    numbers.reserveCapacity(range.count / width)
    for position in stride(from: range.lowerBound, to: range.upperBound, by: width) {
      numbers.append(
        Number(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Number.self)))
    }
    return numbers
  }

  /// Returns the byte range of a vector's elements, or nil when the table doesn't have the vector.
  func vector(
    _ slot: Int, of table: Table, byteCount: Int
  ) throws(FlatBufferError) -> Range<Int>? {
    guard let position = try position(slot, of: table, byteCount: 4) else { return nil }
    return try elements(at: try target(at: position), byteCount: byteCount)
  }

  func byte(_ slot: Int, of table: Table) throws(FlatBufferError) -> UInt8 {
    guard let position = try position(slot, of: table, byteCount: 1) else { return 0 }
    return bytes[position]
  }

  func short(_ slot: Int, of table: Table) throws(FlatBufferError) -> UInt16 {
    guard let position = try position(slot, of: table, byteCount: 2) else { return 0 }
    return try short(at: position)
  }

  func integer(_ slot: Int, of table: Table) throws(FlatBufferError) -> UInt32 {
    guard let position = try position(slot, of: table, byteCount: 4) else { return 0 }
    return try integer(at: position)
  }

  func long(_ slot: Int, of table: Table) throws(FlatBufferError) -> UInt64 {
    guard let position = try position(slot, of: table, byteCount: 8) else { return 0 }
    return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
  }

  func float(_ slot: Int, of table: Table) throws(FlatBufferError) -> Float {
    Float(bitPattern: try integer(slot, of: table))
  }

  // MARK: - Places

  /// Returns the offset of a list's length in the buffer, or nil when the table doesn't have the
  /// list.
  func position(ofList slot: Int, of table: Table) throws(FlatBufferError) -> Int? {
    guard let position = try position(slot, of: table, byteCount: 4) else { return nil }
    let target = try target(at: position)
    _ = try elements(at: target, byteCount: 1)
    return target
  }

  private mutating func count(_ visits: Int) throws(FlatBufferError) {
    remainingVisits -= visits
    guard remainingVisits >= 0 else { throw FlatBufferError("it has too many parts") }
  }

  private mutating func table(at start: Int) throws(FlatBufferError) -> Table {
    try count(1)
    let distance = Int(Int32(bitPattern: try integer(at: start)))
    let fields = start - distance
    let fieldBytes = Int(try short(at: fields))
    let byteCount = Int(try short(at: fields + 2))
    guard fieldBytes >= 4, fields + fieldBytes <= bytes.count, byteCount >= 4,
      start + byteCount <= bytes.count
    else { throw FlatBufferError("a table extends past the end of the data") }
    return Table(start: start, fields: (fields + 4)..<(fields + fieldBytes), byteCount: byteCount)
  }

  /// Returns the offset of a field's value, or nil when the table doesn't have the field.
  func position(
    _ slot: Int, of table: Table, byteCount: Int
  ) throws(FlatBufferError) -> Int? {
    let entry = table.fields.lowerBound + slot * 2
    guard entry + 2 <= table.fields.upperBound else { return nil }
    let offset = Int(try short(at: entry))
    guard offset != 0 else { return nil }
    guard offset >= 4, offset + byteCount <= table.byteCount else {
      throw FlatBufferError("a field is outside its table")
    }
    return table.start + offset
  }

  /// Returns the position that the offset at `position` points to.
  private func target(at position: Int) throws(FlatBufferError) -> Int {
    position + Int(try integer(at: position))
  }

  /// Returns the byte range of a vector's elements or a string's bytes.
  private func elements(at start: Int, byteCount: Int) throws(FlatBufferError) -> Range<Int> {
    let count = Int(try integer(at: start))
    guard count <= (bytes.count - start - 4) / byteCount else {
      throw FlatBufferError("a list extends past the end of the data")
    }
    return (start + 4)..<(start + 4 + count * byteCount)
  }

  private func integer(at position: Int) throws(FlatBufferError) -> UInt32 {
    guard position >= 0, position + 4 <= bytes.count else {
      throw FlatBufferError("an offset points outside the data")
    }
    return UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
  }

  private func short(at position: Int) throws(FlatBufferError) -> UInt16 {
    guard position >= 0, position + 2 <= bytes.count else {
      throw FlatBufferError("an offset points outside the data")
    }
    return UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt16.self))
  }
}

/// A problem with a flatbuffer, worded as the end of a sentence.
struct FlatBufferError: Error {
  let reason: String
  /// Whether the file is valid but needs something that the runtime doesn't support.
  let isUnsupported: Bool

  init(_ reason: String) {
    self.reason = reason
    isUnsupported = false
  }

  init(unsupported reason: String) {
    self.reason = reason
    isUnsupported = true
  }
}
