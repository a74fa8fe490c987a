// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Bytes of UTF-8 with the scalars that they encode.
///
/// Texts are arrays of bytes because a comparison of two `String` values ignores differences of
/// normalization, but tokens that differ only in it have different indices.
extension [UInt8] {
  /// Returns the scalar that starts at an index, and its number of bytes.
  ///
  /// Bytes that aren't UTF-8 are scalars of one byte, so that no text is out of bounds.
  @inline(__always)
  func scalar(at index: Int) -> (value: UInt32, length: Int) {
    let first = self[index]
    if first < 0x80 { return (UInt32(first), 1) }
    return longScalar(at: index, first: UInt32(first))
  }

  @inline(never)
  private func longScalar(at index: Int, first: UInt32) -> (value: UInt32, length: Int) {
    let length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard length > 1, index + length <= count else { return (first, 1) }
    var value = first & (0xFF >> UInt32(length + 1))
    for offset in 1..<length { value = value << 6 | UInt32(self[index + offset] & 0x3F) }
    return (value, length)
  }

  /// Returns the start of the scalar before an index.
  @inline(__always)
  func scalarStart(before index: Int) -> Int {
    var start = index - 1
    while start > 0, self[start] & 0xC0 == 0x80 { start -= 1 }
    return start
  }

  /// Appends a scalar.
  @inline(__always)
  mutating func append(scalar value: UInt32) {
    if value < 0x80 {
      append(UInt8(truncatingIfNeeded: value))
    } else {
      appendLong(scalar: value)
    }
  }

  @inline(never)
  private mutating func appendLong(scalar value: UInt32) {
    if value < 0x800 {
      append(UInt8(truncatingIfNeeded: 0xC0 | value >> 6))
    } else {
      if value < 0x10000 {
        append(UInt8(truncatingIfNeeded: 0xE0 | value >> 12))
      } else {
        append(UInt8(truncatingIfNeeded: 0xF0 | value >> 18))
        append(UInt8(truncatingIfNeeded: 0x80 | (value >> 12 & 0x3F)))
      }
      append(UInt8(truncatingIfNeeded: 0x80 | (value >> 6 & 0x3F)))
    }
    append(UInt8(truncatingIfNeeded: 0x80 | (value & 0x3F)))
  }

  /// The bytes in a range.
  @inline(never)
  func part(_ range: Range<Int>) -> [UInt8] { Array(self[range]) }

  /// The index of the first byte that isn't ASCII, or the end.
  @inline(never)
  func asciiEnd() -> Int {
    var index = 0
    while index < count, self[index] < 0x80 { index += 1 }
    return index
  }

  /// Whether these bytes start with others.
  @inline(never)
  func hasPrefix(_ other: [UInt8]) -> Bool {
    guard other.count <= count else { return false }
    for index in 0..<other.count where self[index] != other[index] { return false }
    return true
  }

  /// Returns these bytes as a string.
  var text: String { String(decoding: self, as: UTF8.self) }

  /// The value of the hexadecimal digits in a range; nil if there is anything else.
  func hexadecimal(_ range: Range<Int>) -> UInt32? {
    var value: UInt32 = 0
    for index in range {
      guard index < count else { return nil }
      switch self[index] {
      case 48...57: value = value << 4 | UInt32(self[index] - 48)
      case 65...70, 97...102: value = value << 4 | UInt32(self[index] & 15 + 9)
      default: return nil
      }
    }
    return value
  }

  /// The text of one character.
  init(scalar: UInt32) {
    self = []
    append(scalar: scalar)
  }
}
