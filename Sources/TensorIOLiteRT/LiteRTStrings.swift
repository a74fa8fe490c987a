// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// TensorFlow Lite's layout of string tensors: a count, `count + 1` offsets, and the bytes.
enum LiteRTStrings {
  /// The bytes reserved for the strings of a first run.
  static let initialBytes = 4096
  /// The maximum number of bytes that outputs are given.
  static let mostBytes = 1 << 28

  /// Returns the number of bytes to reserve for a number of empty strings.
  static func leastBytes(_ count: Int) -> Int { max(4 + 4 * (count + 1), initialBytes) }

  static func pack(_ strings: [Data]) throws -> [UInt8] {
    var offset = 4 + 4 * (strings.count + 1)
    let total = strings.reduce(offset) { $0 + $1.count }
    guard total < mostBytes else {
      throw TensorIOError(
        .unrepresentableValue,
        "The strings need \(total) bytes, but the limit is \(mostBytes) bytes.")
    }
    var packed: [UInt8] = []
    packed.reserveCapacity(total)
    func append(_ value: Int) {
      withUnsafeBytes(of: Int32(value)) { packed.append(contentsOf: $0) }
    }
    append(strings.count)
    for string in strings {
      append(offset)
      offset += string.count
    }
    append(offset)
    for string in strings { packed.append(contentsOf: string) }
    return packed
  }

  static func unpack(_ bytes: UnsafeRawBufferPointer, name: String) throws -> [Data] {
    func integer(at index: Int) -> Int? {
      let start = index * 4
      guard start + 4 <= bytes.count else { return nil }
      return Int(bytes.loadUnaligned(fromByteOffset: start, as: Int32.self))
    }
    func fault() -> TensorIOError {
      TensorIOError(.inferenceFailed, "The strings of the output '\(name)' are malformed.")
    }
    guard let count = integer(at: 0), count >= 0, count < bytes.count / 4 else { throw fault() }
    return try (0..<count).map { index in
      guard let start = integer(at: index + 1), let end = integer(at: index + 2),
        start >= 0, start <= end, end <= bytes.count
      else { throw fault() }
      return Data(bytes[start..<end])
    }
  }
}
