// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A value that can be written into a model's input.
///
/// Numbers, flat and nested arrays of numbers, `Data`, `String`, ``PixelBuffer``, ``Tensor`` and
/// ``TensorValue`` conform. To make your own type conform, write its elements in row-major order:
///
/// ```swift
/// struct House: TensorEncodable {
///   var area: Float, rooms: Float
///   var tensorElementCount: Int { 2 }
///
///   func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
///     try [area, rooms].encode(into: &memory, as: spec)
///   }
/// }
/// ```
public protocol TensorEncodable: Sendable {
  /// The number of elements that the value writes.
  ///
  /// It is nil for a value that is measured differently and checks its own size, such as an image
  /// or bytes.
  var tensorElementCount: Int? { get }

  /// Writes the value into a tensor's memory.
  ///
  /// - Parameters:
  ///   - memory: The bytes of one item, or the part of them for this value.
  ///   - spec: The layer.
  /// - Throws: ``TensorIOError`` when the value does not fit the layer. Values are never truncated
  ///   or wrapped around. Floating-point numbers are rounded to the layer's floating-point type or
  ///   to bytes. A fraction is an error in a layer of integers with more than 8 bits.
  func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws

  /// Returns the value's elements for a layer of strings.
  ///
  /// Only text and bytes have such elements.
  func tensorStrings(for spec: TensorSpec) throws -> [Data]

  /// The elements of a list, for a model with several inputs; nil for a value that is not a list.
  var tensorItems: [any TensorEncodable]? { get }

  /// The size of an image, upright, after it was encoded; nil for a value that isn't an image.
  var encodedImageSize: (width: Int, height: Int)? { get }

  /// A readable name for this kind of value, such as "a number" or "an image".
  static var tensorKindName: String { get }

  /// Writes an array of values; the library's number types do so in one pass.
  static func encode(
    elements: [Self], into memory: inout MutableRawSpan, as spec: TensorSpec) throws
}

/// A value that is decoded while it is encoded, such as an image's file.
package protocol DecodingInput: TensorEncodable {
  /// Returns the value with a timer, and a closure that returns the time for decoding it.
  func timed() -> (value: Self, time: @Sendable () -> Duration)
}

extension TensorEncodable {
  public var tensorItems: [any TensorEncodable]? { nil }
  public var encodedImageSize: (width: Int, height: Int)? { nil }
  public static var tensorKindName: String { "a \(Self.self)" }

  public func tensorStrings(for spec: TensorSpec) throws -> [Data] {
    throw TensorIOError.wrongKind(spec, expected: "text", found: Self.tensorKindName)
  }

  public static func encode(
    elements: [Self], into memory: inout MutableRawSpan, as spec: TensorSpec
  ) throws {
    guard !elements.isEmpty, memory.byteCount % elements.count == 0 else {
      throw TensorIOError.notRectangular(spec)
    }
    let share = memory.byteCount / elements.count
    let width = max(spec.dataType.byteWidth, 1)
    for (index, element) in elements.enumerated() {
      let start = index * share
      var part = memory._mutatingExtracting(start..<(start + share))
      try element.encode(into: &part, as: spec.part(from: start / width))
    }
  }
}

extension TensorIOError {
  package static func wrongKind(
    _ spec: TensorSpec, expected: String, found: String
  ) -> TensorIOError {
    TensorIOError(.wrongKind, "'\(spec.name)' takes \(expected), got \(found).")
  }

  package static func wrongElementCount(_ spec: TensorSpec, found: Int) -> TensorIOError {
    let expected = spec.elementCount
    return TensorIOError(
      .wrongElementCount,
      "'\(spec.name)' takes \(expected) \(expected == 1 ? "value" : "values") "
        + "(shape \(spec.itemShape)), got \(found).")
  }

  /// The error for an element count that does not match the memory, of the whole value or of a part
  /// of it.
  package static func wrongElementCount(
    _ spec: TensorSpec, found: Int, in memory: borrowing MutableRawSpan
  ) -> TensorIOError {
    memory.byteCount == spec.byteCount
      ? wrongElementCount(spec, found: found) : notRectangular(spec)
  }

  package static func notRectangular(_ spec: TensorSpec) -> TensorIOError {
    TensorIOError(
      .wrongElementCount,
      "'\(spec.name)' takes nested arrays of equal lengths (shape \(spec.itemShape)); "
        + "some are shorter than others.")
  }

  package static func unrepresentable(
    _ value: String, at index: Int, in spec: TensorSpec, because reason: String
  ) -> TensorIOError {
    let element =
      spec.elementCount == 1 ? "'\(spec.name)'" : "'\(spec.name)' at index \(spec.offset + index)"
    return TensorIOError(
      .unrepresentableValue, "\(element) takes \(spec.dataType) values, got \(value): \(reason).")
  }
}

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
  package static func wrongOutputType(
    _ spec: TensorSpec, _ type: String, because reason: String
  ) -> TensorIOError {
    TensorIOError(
      .wrongOutputType, "'\(spec.name)' cannot be read as \(type): \(reason).")
  }
}
