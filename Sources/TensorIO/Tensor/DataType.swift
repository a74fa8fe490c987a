// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The type of a tensor's elements.
///
/// The raw values are the words that model.json's `dtype` uses.
public enum DataType: String, Sendable, CaseIterable, Codable {
  /// Unsigned 8-bit integers.
  case uint8
  /// Signed 8-bit integers.
  case int8
  /// Unsigned 16-bit integers.
  case uint16
  /// Signed 16-bit integers.
  case int16
  /// Unsigned 32-bit integers.
  case uint32
  /// Signed 32-bit integers.
  case int32
  /// Signed 64-bit integers.
  case int64
  /// IEEE 754 half precision.
  case float16
  /// IEEE 754 single precision.
  case float32
  /// IEEE 754 double precision.
  case float64
  /// One byte, 0 or 1.
  case bool
  /// Byte strings of any length.
  case string

  /// The number of bytes in an element; 0 for ``string``, whose elements have different lengths.
  public var byteWidth: Int {
    switch self {
    case .uint8, .int8, .bool: 1
    case .uint16, .int16, .float16: 2
    case .uint32, .int32, .float32: 4
    case .int64, .float64: 8
    case .string: 0
    }
  }

  /// Whether elements of this type hold quantized numbers in 8-bit models.
  package var isByte: Bool { self == .uint8 || self == .int8 }
}

extension DataType: CustomStringConvertible {
  public var description: String { rawValue }
}
