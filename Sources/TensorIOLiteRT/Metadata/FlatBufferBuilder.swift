// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A value in a flatbuffer, with everything that it refers to.
indirect enum FlatBufferValue {
  case byte(UInt8)
  case word(UInt32)
  /// A list of numbers or a string: the number of its elements, and their bytes.
  case vector(count: Int, bytes: [UInt8], alignment: Int = 4)
  case list([FlatBufferValue])
  /// The values of a table's slots; nil leaves a field out.
  case table([FlatBufferValue?])
  /// An object that follows the new flatbuffer, at an offset from its end.
  case following(Int)

  static func text(_ text: String) -> FlatBufferValue {
    .vector(count: text.utf8.count, bytes: Array(text.utf8) + [0])
  }

  /// Makes a list of bytes that may be a flatbuffer, which needs the largest alignment.
  static func content(_ bytes: [UInt8]) -> FlatBufferValue {
    .vector(count: bytes.count, bytes: bytes, alignment: 16)
  }

  static func words(_ words: [UInt32]) -> FlatBufferValue {
    var bytes: [UInt8] = []
    for word in words { bytes.append(Int(word), byteCount: 4) }
    return .vector(count: words.count, bytes: bytes)
  }

  static func floats(_ values: [Float]) -> FlatBufferValue { .words(values.map(\.bitPattern)) }
}

/// Writes a flatbuffer from its start to its end, each object before those that it refers to.
///
/// Flatbuffers refer only forward. This order therefore lets new tables precede a flatbuffer that
/// stays as it is, and refer to objects in it.
struct FlatBufferBuilder {
  private(set) var bytes: [UInt8]
  private var references: [(position: Int, target: Int)] = []
  private var isTooLarge = false

  /// Writes a flatbuffer.
  ///
  /// - Parameters:
  ///   - root: The root table.
  ///   - identifier: The identifier of four characters.
  ///   - marker: Characters to write after the identifier, followed by the flatbuffer's size.
  ///     Readers skip them.
  ///   - alignment: The number that the size is rounded up to a multiple of.
  /// - Throws: ``FlatBufferError`` when an offset has more than 31 bits.
  init(
    _ root: FlatBufferValue, identifier: StaticString, marker: StaticString = "",
    alignment: Int = 1
  ) throws(FlatBufferError) {
    bytes = [0, 0, 0, 0] + "\(identifier)\(marker)".utf8
    let sizePosition = marker.utf8CodeUnitCount > 0 ? bytes.count : nil
    if sizePosition != nil { bytes += [0, 0, 0, 0] }
    refer(to: root, at: 0)
    pad(to: alignment)
    for (position, target) in references { set(bytes.count + target - position, at: position) }
    if let sizePosition { set(bytes.count, at: sizePosition) }
    guard !isTooLarge else { throw FlatBufferError("it is too large for a flatbuffer") }
  }

  /// Appends zeros until the byte after the next `count` ones is aligned.
  private mutating func pad(to alignment: Int, after count: Int = 0) {
    while !(bytes.count + count).isMultiple(of: alignment) { bytes.append(0) }
  }

  private mutating func set(_ word: Int, at position: Int) {
    if word > Int(Int32.max) { isTooLarge = true }
    for index in 0..<4 { bytes[position + index] = UInt8(truncatingIfNeeded: word >> (8 * index)) }
  }

  private mutating func refer(to value: FlatBufferValue, at position: Int) {
    if case .following(let target) = value {
      references.append((position, target))
    } else {
      set(write(value) - position, at: position)
    }
  }

  /// Writes a value, and returns its position.
  private mutating func write(_ value: FlatBufferValue) -> Int {
    switch value {
    case .byte, .word, .following: return write([value])
    case .table(let fields): return write(fields)
    case .vector(let count, let content, let alignment):
      pad(to: alignment, after: 4)
      let start = bytes.count
      bytes += [0, 0, 0, 0]
      set(count, at: start)
      bytes += content
      return start
    case .list(let elements):
      let places = [UInt8](repeating: 0, count: 4 * elements.count)
      let start = write(.vector(count: elements.count, bytes: places))
      for (index, element) in elements.enumerated() {
        refer(to: element, at: start + 4 + 4 * index)
      }
      return start
    }
  }

  /// Writes a table, and returns its position.
  private mutating func write(_ fields: [FlatBufferValue?]) -> Int {
    var slots: [Int] = []
    var table: [UInt8] = [0, 0, 0, 0]
    var children: [(offset: Int, value: FlatBufferValue)] = []
    for field in fields {
      if case .byte(let byte)? = field {
        slots.append(table.count)
        table.append(byte)
      } else if let field {
        while !table.count.isMultiple(of: 4) { table.append(0) }
        slots.append(table.count)
        if case .word(let word) = field {
          table.append(Int(word), byteCount: 4)
        } else {
          children.append((table.count, field))
          table += [0, 0, 0, 0]
        }
      } else {
        slots.append(0)
      }
    }
    let headCount = 4 + 2 * slots.count
    pad(to: 4, after: headCount)
    for field in [headCount, table.count] + slots { bytes.append(field, byteCount: 2) }
    let start = bytes.count
    bytes += table
    set(headCount, at: start)
    for (offset, value) in children { refer(to: value, at: start + offset) }
    return start
  }
}

extension [UInt8] {
  /// Appends the lowest bytes of an integer, the lowest first.
  mutating func append(_ integer: Int, byteCount: Int) {
    for index in 0..<byteCount { append(UInt8(truncatingIfNeeded: integer >> (8 * index))) }
  }
}
