// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The raw bytes of the tensor, in its data type and byte order.
///
/// If the layer has a quantization, the bytes are float32 numbers instead. They are quantized when
/// they are written and dequantized when they are read.
extension Data: TensorEncodable, TensorDecodable {
  public static var tensorKindName: String { "bytes" }
  public var tensorElementCount: Int? { nil }

  public func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
    try encodeBytes(bytes, into: &memory, as: spec)
  }

  public func tensorStrings(for spec: TensorSpec) throws -> [Data] { [self] }

  public static func decode(_ bytes: RawSpan, as spec: TensorSpec) throws -> Data {
    guard spec.quantization != nil else { return bytes.withUnsafeBytes { Data($0) } }
    return try [Float].decode(bytes, as: spec).withUnsafeBytes { Data($0) }
  }

  public static func decode(strings: [Data], as spec: TensorSpec) throws -> Data {
    guard strings.count == 1 else {
      throw TensorIOError.wrongOutputType(
        spec, "Data", because: "it holds \(strings.count) strings; read it as [Data]")
    }
    return strings[0]
  }
}

/// Text, which is an element of a layer of strings or the UTF-8 bytes of a layer of raw bytes.
extension String: TensorEncodable, TensorDecodable {
  public static var tensorKindName: String { "text" }
  public var tensorElementCount: Int? { nil }

  public func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
    guard spec.kind == .bytes, spec.dataType.isByte else {
      let expected =
        spec.isImage ? "an image, such as an ImageFile of a path" : "\(spec.dataType) values"
      throw TensorIOError.wrongKind(spec, expected: expected, found: Self.tensorKindName)
    }
    try Data(utf8).encode(into: &memory, as: spec)
  }

  public func tensorStrings(for spec: TensorSpec) throws -> [Data] { [Data(utf8)] }

  public static func decode(_ bytes: RawSpan, as spec: TensorSpec) throws -> String {
    guard spec.kind == .bytes, spec.dataType.isByte else {
      throw TensorIOError.wrongOutputType(spec, "String", because: "it holds \(spec.dataType)")
    }
    return try decode(strings: [Data.decode(bytes, as: spec)], as: spec)
  }

  public static func decode(strings: [Data], as spec: TensorSpec) throws -> String {
    let data = try Data.decode(strings: strings, as: spec)
    guard let text = String(validating: data, as: UTF8.self) else {
      throw TensorIOError.wrongOutputType(
        spec, "String", because: "its bytes are not UTF-8; read it as Data")
    }
    return text
  }
}
