// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A tensor that NumPy's `save` wrote in version 1, 2 or 3, little-endian and in C order.
package struct NumPyFile {
  /// The bytes with which every file begins.
  package static let magic: [UInt8] = [0x93] + Array("NUMPY".utf8)

  package let tensor: Tensor
  private let path: String

  package init(_ path: String) throws {
    try self.init([UInt8](FileSystem.read(path)), named: path)
  }

  /// Reads the bytes of a file whose name messages show.
  package init(_ data: [UInt8], named path: String) throws {
    self.path = path
    func fault(_ reason: String) -> TensorIOError {
      TensorIOError(.wrongKind, "'\(path)' can't be read as a NumPy file: \(reason).")
    }
    guard data.count >= 12, data.starts(with: Self.magic) else {
      throw fault("it doesn't start with NumPy's magic bytes")
    }
    let start = data[6] == 1 ? 10 : 12
    let length = data[8..<start].reversed().reduce(0) { $0 << 8 | Int($1) }
    guard start + length <= data.count else { throw fault("its header is incomplete") }
    let header = String(decoding: data[start..<(start + length)], as: UTF8.self)
    guard let word = Self.text(after: "'descr':", in: header),
      let shape = Self.shape(in: header)
    else { throw fault("its header is \(header.prefix(80))") }
    guard let dataType = Self.words.first(where: { $0.value == word })?.key else {
      let own = "<" + word.dropFirst()
      let other = Self.words.values.contains(own) ? own : word.contains("u8") ? "int64" : "float32"
      throw fault("elements of type '\(word)' aren't supported; save array.astype('\(other)')")
    }
    guard !header.contains("'fortran_order': True") else {
      throw fault("it is in Fortran order; save numpy.ascontiguousarray(array) instead")
    }
    let bytes = data[(start + length)...]
    var count = dataType.byteWidth
    for axis in shape {
      let (product, overflow) = count.multipliedReportingOverflow(by: axis)
      guard !overflow else { throw fault("its shape \(shape) is impossible") }
      count = product
    }
    guard count == bytes.count else {
      throw fault(
        "shape \(shape) of \(dataType) takes \(count) bytes, but the file has \(bytes.count)")
    }
    tensor = try Tensor(copying: bytes.span.bytes, dataType: dataType, shape: shape)
  }

  /// Returns the value for a layer.
  ///
  /// Bytes of shape [height, width, 3] become an image for an image layer. If the types match, the
  /// value is the tensor itself. For other layers it is a list of numbers to convert.
  ///
  /// - Throws: `TensorIOError` when an image layer takes another type of tensor.
  package func value(for spec: TensorSpec?) throws -> any TensorEncodable {
    try Self.value(of: tensor, for: spec, named: path)
  }

  /// Returns the value of a tensor for a layer.
  package static func value(
    of tensor: Tensor, for spec: TensorSpec?, named path: String
  ) throws -> any TensorEncodable {
    guard let spec else { return tensor }
    if spec.isImage {
      if let image = try image(of: tensor) { return image }
      guard spec.dataType == tensor.dataType else {
        throw TensorIOError(
          .wrongKind,
          "'\(spec.name)' takes a tensor of \(spec.dataType), or uint8 pixels [height, width, 3], "
            + "but '\(path)' has \(tensor.dataType) \(tensor.shape).")
      }
      return tensor
    }
    if spec.dataType == tensor.dataType { return tensor }
    switch tensor.dataType {
    case .float16, .float32, .float64: return try tensor.numbers(as: Double.self)
    default: return try tensor.numbers(as: Int64.self)
    }
  }

  /// Returns the pixels as an RGB image; nil unless the tensor holds bytes of [height, width, 3].
  private static func image(of tensor: Tensor) throws -> PixelBuffer? {
    guard tensor.dataType == .uint8, tensor.shape.count == 3, tensor.shape[2] == 3,
      tensor.shape[0] > 0, tensor.shape[1] > 0
    else { return nil }
    return PixelBuffer(
      width: tensor.shape[1], height: tensor.shape[0], format: .rgb,
      bytes: try tensor.numbers(as: UInt8.self))
  }

  private static func text(after key: String, in header: String) -> String? {
    guard let range = header.firstRange(of: key) else { return nil }
    let parts = header[range.upperBound...].split(
      separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count >= 2 ? String(parts[1]) : nil
  }

  private static func shape(in header: String) -> [Int]? {
    guard let range = header.firstRange(of: "'shape':"),
      let open = header[range.upperBound...].firstIndex(of: "("),
      let close = header[open...].firstIndex(of: ")")
    else { return nil }
    let parts = header[header.index(after: open)..<close].split(separator: ",")
      .map { $0.filter { !$0.isWhitespace } }.filter { !$0.isEmpty }
    let lengths = parts.compactMap { Int($0) }.filter { $0 >= 0 }
    return lengths.count == parts.count ? lengths : nil
  }

  /// NumPy's names for the types; strings have none, because they have no fixed width.
  package static let words: [DataType: String] = [
    .float16: "<f2", .float32: "<f4", .float64: "<f8", .bool: "|b1", .uint8: "|u1", .int8: "|i1",
    .uint16: "<u2", .int16: "<i2", .uint32: "<u4", .int32: "<i4", .int64: "<i8",
  ]
}
