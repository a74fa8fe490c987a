// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// TensorFlow's numbers for element types.
enum TensorFlowType {
  static let string: Int32 = 7

  /// Returns the data type of a type number, or nil for a type that this library doesn't know.
  static func dataType(_ number: Int32) -> DataType? {
    switch number % reference {
    case 1: .float32
    case 2: .float64
    case 3: .int32
    case 4: .uint8
    case 5: .int16
    case 6: .int8
    case 7: .string
    case 9: .int64
    case 10: .bool
    case 17: .uint16
    case 19: .float16
    case 22: .uint32
    default: nil
    }
  }

  /// Returns TensorFlow's name of a type.
  static func name(_ number: Int32) -> String {
    if let known = dataType(number) { return known.rawValue }
    switch number % reference {
    case 8: return "complex64"
    case 14: return "bfloat16"
    case 18: return "complex128"
    case 20: return "resource"
    case 21: return "variant"
    case 23: return "uint64"
    default: return "type \(number)"
    }
  }

  /// The offset added to a type's number for a reference to a variable.
  private static let reference: Int32 = 100
}
