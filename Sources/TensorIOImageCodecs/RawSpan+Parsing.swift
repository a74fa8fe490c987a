// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Reads numbers from untrusted files.
///
/// None of these methods can trap.
extension RawSpan {
  /// Returns the integer at an offset, or nil when it extends beyond the bytes.
  func integer<Integer: FixedWidthInteger & BitwiseCopyable>(
    _ type: Integer.Type, at offset: Int, bigEndian: Bool = false
  ) -> Integer? {
    guard offset >= 0, byteCount - offset >= MemoryLayout<Integer>.size else { return nil }
    let stored = unsafeLoadUnaligned(fromByteOffset: offset, as: type)
    return bigEndian ? Integer(bigEndian: stored) : Integer(littleEndian: stored)
  }

  /// Returns whether ASCII text is found at an offset.
  func hasText(_ text: StaticString, at offset: Int) -> Bool {
    guard offset >= 0, byteCount - offset >= text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { text in
      for index in 0..<text.count {
        guard integer(UInt8.self, at: offset + index) == text[index] else { return false }
      }
      return true
    }
  }

  /// Returns whether the first bytes equal `bytes`.
  func starts(with bytes: [UInt8]) -> Bool {
    for index in bytes.indices {
      guard integer(UInt8.self, at: index) == bytes[index] else { return false }
    }
    return true
  }
}
