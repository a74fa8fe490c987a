// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The type of a tensor's elements, with the numbers that .tflite files use.
///
/// LiteRT's C interface uses other numbers: see ``LiteRT/dataType(_:)``.
struct TensorElementType: RawRepresentable, Hashable, CustomStringConvertible {
  let rawValue: UInt8

  static let uint8 = TensorElementType(rawValue: 3)
  static let string = TensorElementType(rawValue: 5)
  static let int16 = TensorElementType(rawValue: 7)
  static let int8 = TensorElementType(rawValue: 9)

  /// The type's name in TensorFlow, or the number of a type that this library doesn't know.
  var description: String {
    Self.names.indices.contains(Int(rawValue)) ? Self.names[Int(rawValue)] : "\(rawValue)"
  }

  private static let names = [
    "float32", "float16", "int32", "uint8", "int64", "string", "bool", "int16", "complex64", "int8",
    "float64", "complex128", "uint64", "resource", "variant", "uint32", "uint16", "int4",
    "bfloat16",
  ]

  /// The number of bits of an element, or nil for strings, resources and unknown types.
  var bitWidth: Int? {
    switch rawValue {
    case 3, 6, 9: 8  // uint8, bool, int8
    case 1, 7, 16, 18: 16  // float16, int16, uint16, bfloat16
    case 0, 2, 15: 32  // float32, int32, uint32
    case 4, 8, 10, 12: 64  // int64, complex64, float64, uint64
    case 11: 128  // complex128
    case 17: 4  // int4
    default: nil
    }
  }

  /// The zero points that a quantized tensor of this type can have, or nil when there is no bound.
  var zeroPoints: ClosedRange<Int64>? {
    switch self {
    case .uint8: 0...255
    case .int8: -128...127
    case .int16: -32768...32767
    default: nil
    }
  }

  /// Whether kernels compute with the scale of a tensor of this type.
  var isQuantizable: Bool { zeroPoints != nil }
}
