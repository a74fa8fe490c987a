// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO
package import TensorIODecoding

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension NumPyFile {
  /// Writes a tensor in the format of NumPy's `save`.
  package static func write(_ tensor: Tensor, to path: String) throws {
    let data = Data(try bytes(of: tensor, named: path))
    try FileSystem.writing("'\(path)' can't be written") {
      try data.write(to: URL(filePath: path))
    }
  }

  /// Returns a tensor in the format of NumPy's `save`: version 1, little-endian, C order.
  ///
  /// - Throws: `TensorIOError` for text, with the name of the tensor or its file.
  package static func bytes(of tensor: Tensor, named name: String) throws -> [UInt8] {
    let axes = tensor.shape.map { "\($0)" }
    let shape = axes.count == 1 ? "(\(axes[0]),)" : "(\(axes.joined(separator: ", ")))"
    guard let word = words[tensor.dataType] else {
      throw TensorIOError(
        .wrongKind,
        "'\(name)' can only hold numbers, got \(tensor.dataType) elements. Write text as JSON.")
    }
    var header = "{'descr': '\(word)', 'fortran_order': False, 'shape': \(shape), }"
    // The elements begin at a multiple of 64 bytes, and a line feed ends the header.
    let prefix = 10
    let padding = 63 - (prefix + header.utf8.count) % 64
    header += String(repeating: " ", count: padding) + "\n"
    let length = header.utf8.count
    var bytes = magic + [1, 0, UInt8(length & 255), UInt8(length >> 8)]
    bytes += header.utf8
    tensor.withBytes { $0.withUnsafeBytes { bytes += $0 } }
    return bytes
  }
}
