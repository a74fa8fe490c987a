// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A text while normalizers change it.
struct NormalizedText {
  /// The most bytes of a text, which patterns and texts of a file can make much longer.
  static let mostBytes = 256 << 20

  var bytes: [UInt8]
  /// Whether the text starts with what the user's text starts with.
  ///
  /// ``Metaspace`` can depend on it.
  var isStart: Bool

  /// Changes each scalar independent of its neighbors.
  mutating func map(_ change: ScalarChange) {
    var index = change.keepsASCII ? bytes.asciiEnd() : 0
    guard index < bytes.count else { return }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + bytes.count / 8)
    result += bytes[..<index]
    while index < bytes.count {
      let scalar = bytes.scalar(at: index)
      let isKept = change.append(scalar.value, to: &result)
      if index == 0, !isKept { isStart = false }
      index += scalar.length
    }
    bytes = result
  }

  /// Removes white space at the ends.
  mutating func strip(left: Bool, right: Bool) {
    var start = 0
    var end = bytes.count
    while left, start < end {
      let scalar = bytes.scalar(at: start)
      guard ScalarClass.of(scalar.value).contains(.whitespace) else { break }
      start += scalar.length
    }
    while right, end > start {
      let before = bytes.scalarStart(before: end)
      guard ScalarClass.of(bytes.scalar(at: before).value).contains(.whitespace) else { break }
      end = before
    }
    if start > 0 { isStart = false }
    bytes = Array(bytes[start..<end])
  }

  /// Replaces what a pattern finds.
  mutating func replace(_ pattern: TextPattern, with content: [UInt8]) throws {
    var result: [UInt8] = []
    var end = 0
    try pattern.forEachMatch(bytes, 0..<bytes.count) { match in
      guard result.count <= Self.mostBytes else { return }
      result += bytes[end..<match.lowerBound]
      result += content
      // Content has the position of the last scalar that it replaces.
      if match.lowerBound == 0, !match.isEmpty {
        isStart = isStart && !content.isEmpty && match.count == bytes.scalar(at: 0).length
      }
      end = match.upperBound
    }
    result += bytes[end...]
    try Self.checkCount(result)
    bytes = result
  }

  static func checkCount(_ bytes: [UInt8]) throws {
    guard bytes.count <= mostBytes else {
      throw TokenizerError("A normalizer makes the text longer than 256 MiB. Split the text.")
    }
  }
}

extension [UInt8] {
  /// Returns this text with what a pattern finds replaced.
  func replacing(_ pattern: TextPattern, with content: [UInt8]) throws -> [UInt8] {
    var text = NormalizedText(bytes: self, isStart: true)
    try text.replace(pattern, with: content)
    return text.bytes
  }
}
