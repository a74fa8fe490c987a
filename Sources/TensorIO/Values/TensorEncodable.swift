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
/// ``TensorValue`` conform. A type of your own conforms by writing its elements in row-major
/// order:
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
  /// The number of elements that the value writes; nil for a value of another measure, which
  /// checks itself, as pictures and bytes do.
  var tensorElementCount: Int? { get }

  /// Writes the value into a tensor's memory.
  ///
  /// - Parameters:
  ///   - memory: The bytes of one item, or of this value's part of it.
  ///   - spec: The layer.
  /// - Throws: ``TensorIOError`` when the value does not fit the layer: nothing is cut or wrapped
  ///   around. Floating-point numbers are rounded to the layer's type, and to bytes; a fraction for an
  ///   integer of more than 8 bits is an error.
  func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws

  /// The value's elements for a layer of strings. Only values of text or bytes have them.
  func tensorStrings(for spec: TensorSpec) throws -> [Data]

  /// The parts of a list, for a model with several inputs; nil for a value that is no list.
  var tensorItems: [any TensorEncodable]? { get }

  /// What a person would call the value: "a number", "a picture".
  static var tensorKindName: String { get }

  /// Writes an array of values; the library's numbers do it in one pass.
  static func encode(
    elements: [Self], into memory: inout MutableRawSpan, as spec: TensorSpec) throws
}

extension TensorEncodable {
  public var tensorItems: [any TensorEncodable]? { nil }
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
  /// A value of a kind that the layer does not take.
  package static func wrongKind(
    _ spec: TensorSpec, expected: String, found: String
  ) -> TensorIOError {
    TensorIOError(.wrongKind, "'\(spec.name)' takes \(expected), got \(found).")
  }

  /// Too few or too many elements.
  package static func wrongElementCount(_ spec: TensorSpec, found: Int) -> TensorIOError {
    let expected = spec.elementCount
    return TensorIOError(
      .wrongElementCount,
      "'\(spec.name)' takes \(expected) \(expected == 1 ? "value" : "values") "
        + "(shape \(spec.itemShape)), got \(found).")
  }

  /// A count that is not the memory's: the whole value's, or that of a part of it.
  package static func wrongElementCount(
    _ spec: TensorSpec, found: Int, in memory: borrowing MutableRawSpan
  ) -> TensorIOError {
    memory.byteCount == spec.byteCount
      ? wrongElementCount(spec, found: found) : notRectangular(spec)
  }

  /// Nested arrays of different lengths.
  package static func notRectangular(_ spec: TensorSpec) -> TensorIOError {
    TensorIOError(
      .wrongElementCount,
      "'\(spec.name)' takes nested arrays of equal lengths (shape \(spec.itemShape)); "
        + "some are shorter than others.")
  }

  /// A number that the layer's type cannot hold.
  package static func unrepresentable(
    _ value: String, at index: Int, in spec: TensorSpec, because reason: String
  ) -> TensorIOError {
    let place =
      spec.elementCount == 1 ? "'\(spec.name)'" : "'\(spec.name)' at index \(spec.offset + index)"
    return TensorIOError(
      .unrepresentableValue, "\(place) takes \(spec.dataType) values, got \(value): \(reason).")
  }
}
