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

extension NumPyFile {
  /// Writes a tensor in the format of NumPy's `save`: version 1, little-endian, C order.
  ///
  /// - Parameters:
  ///   - tensor: A tensor of any type except strings.
  ///   - path: The file. An existing file is replaced.
  /// - Throws: `TensorIOError` for strings, and when the file cannot be written.
  static func write(_ tensor: Tensor, to path: String) throws {
    let axes = tensor.shape.map { "\($0)" }
    let shape = axes.count == 1 ? "(\(axes[0]),)" : "(\(axes.joined(separator: ", ")))"
    guard let word = word(for: tensor.dataType) else {
      throw TensorIOError(
        .wrongKind,
        "'\(path)' can only hold numbers, got \(tensor.dataType) elements. Write text as JSON.")
    }
    var header =
      "{'descr': '\(word)', 'fortran_order': False, 'shape': \(shape), }"
    // The elements begin at a multiple of 64 bytes, and a line feed ends the header.
    let prefix = 10
    let padding = 63 - (prefix + header.utf8.count) % 64
    header += String(repeating: " ", count: padding) + "\n"
    let length = header.utf8.count
    var data = Data([0x93] + Array("NUMPY".utf8) + [1, 0, UInt8(length & 255), UInt8(length >> 8)])
    data.append(contentsOf: header.utf8)
    tensor.withBytes { $0.withUnsafeBytes { data.append(contentsOf: $0) } }
    do {
      try data.write(to: URL(filePath: path))
    } catch {
      throw TensorIOError(
        .unwritableFile, "'\(path)' can't be written: \(FileSystem.reason(for: error)).",
        cause: error)
    }
  }

  /// Returns NumPy's name for a type; nil for strings, which have no fixed width.
  static func word(for dataType: DataType) -> String? {
    switch dataType {
    case .float32: "<f4"
    case .float64: "<f8"
    case .float16: "<f2"
    case .uint8: "|u1"
    case .int8: "|i1"
    case .uint16: "<u2"
    case .int16: "<i2"
    case .uint32: "<u4"
    case .int32: "<i4"
    case .int64: "<i8"
    case .bool: "|b1"
    case .string: nil
    }
  }
}
