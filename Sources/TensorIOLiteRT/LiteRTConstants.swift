// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CLiteRT
import TensorIO

/// Constants of LiteRT's C interface, determined by measurement.
enum LiteRT {
  static let ok: LiteRtStatus = 0
  static let runtimeFailure: LiteRtStatus = 3
  static let unsupported: LiteRtStatus = 5

  static let integerValue: Int32 = 2
  static let stringValue: Int32 = 8
  static let acceleratorFolderTag: Int32 = 22
  static let acceleratorsTag: Int32 = 24
  static let logSeverityTag: Int32 = 25
  static let onlyCPU: Int32 = 1
  static let onlyGPU: Int32 = 2
  static let cpuAndGPU: Int32 = 3
  static let silent: Int32 = 4

  static let rankedTensor: Int32 = 0
  static let perTensor: Int32 = 1
  static let perChannel: Int32 = 2

  /// Returns the meaning of a status code.
  static func name(of status: LiteRtStatus) -> String {
    switch status {
    case LITERT_STATUS_EXCEPTION: "the runtime threw an exception, so the file may be damaged"
    case 1: "invalid argument"
    case 2: "out of memory"
    case 3: "runtime failure"
    case 4: "missing input"
    case 5: "unsupported"
    case 6: "not found"
    case 500: "file error"
    case 501: "invalid model file"
    case 504: "compilation failure"
    case 1000: "index out of bounds"
    default: "status \(status)"
    }
  }

  /// The names of the element types, by their numbers.
  private static let typeNames: [Int32: String] = [
    1: "float32", 2: "int32", 3: "uint8", 4: "int64", 5: "string", 6: "bool", 7: "int16",
    8: "complex64", 9: "int8", 10: "float16", 11: "float64", 12: "complex128", 13: "uint64",
    16: "uint32", 17: "uint16", 18: "int4", 19: "bfloat16",
  ]

  /// Returns the data type of an element type, or nil for types that this library's tensors can't
  /// have.
  static func dataType(_ elementType: Int32) -> DataType? {
    typeNames[elementType].flatMap(DataType.init)
  }

  /// Returns LiteRT's name of an element type.
  static func typeName(_ elementType: Int32) -> String {
    typeNames[elementType] ?? "type \(elementType)"
  }
}

extension LiteRtLayout {
  var rank: Int { min(Int(bits & 0x7f), 8) }

  /// The lengths of the axes.
  var shape: [Int] {
    withUnsafeBytes(of: dimensions) { bytes in
      bytes.assumingMemoryBound(to: Int32.self).prefix(rank).map(Int.init)
    }
  }

  /// Makes a layout with the lengths of at most eight axes, and their count as its rank.
  init(shape: [Int]) {
    self.init()
    bits = UInt32(shape.count)
    withUnsafeMutableBytes(of: &dimensions) { bytes in
      let lengths = bytes.assumingMemoryBound(to: Int32.self)
      for (axis, length) in shape.enumerated() { lengths[axis] = Int32(length) }
    }
  }
}
