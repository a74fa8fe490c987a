// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A value that can be read from a model's output.
///
/// Numbers, arrays of numbers, `Data`, `String`, dictionaries of labelled values,
/// ``Classification``, ``PixelBuffer``, ``ClassMap``, ``Tensor`` and ``TensorValue`` conform.
public protocol TensorDecodable: Sendable {
  /// Reads a value from the bytes of one item.
  ///
  /// - Parameters:
  ///   - bytes: The elements, in row-major order and in the spec's data type.
  ///   - spec: The layer.
  /// - Returns: The value, dequantized according to the layer.
  /// - Throws: ``TensorIOError`` when the layer cannot be read as this type.
  static func decode(_ bytes: RawSpan, as spec: TensorSpec) throws -> Self

  /// Reads a value from a layer of strings.
  static func decode(strings: [Data], as spec: TensorSpec) throws -> Self

  /// Reads an array of values; the library's number types do so in one pass.
  static func decodeElements(_ bytes: RawSpan, as spec: TensorSpec) throws -> [Self]
}

extension TensorDecodable {
  public static func decode(strings: [Data], as spec: TensorSpec) throws -> Self {
    throw TensorIOError(
      .wrongOutputType,
      "'\(spec.name)' holds text and cannot be read as \(Self.self); "
        + "read it as String, [String], Data or [Data].")
  }

  public static func decodeElements(_ bytes: RawSpan, as spec: TensorSpec) throws -> [Self] {
    throw TensorIOError.wrongOutputType(spec, "[\(Self.self)]", because: "it holds numbers")
  }
}

extension TensorIOError {
  /// The error for an output that cannot be read as a type.
  package static func wrongOutputType(
    _ spec: TensorSpec, _ type: String, because reason: String
  ) -> TensorIOError {
    TensorIOError(
      .wrongOutputType, "'\(spec.name)' cannot be read as \(type): \(reason).")
  }
}
