// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import TensorIO

/// The type of a tensor's elements.
public enum ModelElementType: UInt, Sendable {
  /// An unknown type, which no model has.
  case unknown = 0
  /// 32-bit floating-point numbers.
  case float32 = 1
  /// 32-bit integers.
  case int32 = 2
  /// 8-bit unsigned integers.
  case uInt8 = 3
  /// 64-bit integers.
  case int64 = 4

  var dataType: DataType? {
    switch self {
    case .unknown: nil
    case .float32: .float32
    case .int32: .int32
    case .uInt8: .uint8
    case .int64: .int64
    }
  }
}
#endif
