// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Any value that goes into or comes out of a model.
///
/// Use it where types are only known at run time, as with JSON, a command line or a web page. Code
/// that knows its model reads `Float`, `[Float]` or ``Classification`` instead.
public enum TensorValue: Sendable {
  /// One number.
  case number(Number)
  /// Numbers in row-major order.
  case numbers([Number])
  /// A classifier's labelled values.
  case labels(Classification)
  /// Raw bytes, and the type of their elements.
  case bytes(Data, DataType)
  /// Text or other byte strings.
  case strings([Data])
  /// An image.
  case image(PixelBuffer)
  /// A class for each pixel.
  case classMap(ClassMap)
  /// What outputs mean together, as the `decode` field of model.json describes.
  case decoded(DecodedValue)
  /// A tensor.
  case tensor(Tensor)
  /// A list of values: nested arrays, or one value for each input.
  case list([TensorValue])

  /// A number that keeps its type, so that it prints in the same way.
  public enum Number: Hashable, Sendable {
    /// An integer.
    case integer(Int64)
    /// A single-precision number.
    case float(Float)
    /// A double-precision number.
    case double(Double)
    /// A boolean.
    case bool(Bool)
  }
}

extension TensorValue: TensorDecodable {
  public static func decode(_ bytes: RawSpan, as spec: TensorSpec) throws -> TensorValue {
    switch spec.kind {
    case .imageOutput, .imageInput: return .image(try PixelBuffer.decode(bytes, as: spec))
    case .classMap: return .classMap(try ClassMap.decode(bytes, as: spec))
    case .bytes: return .bytes(try Data.decode(bytes, as: spec), spec.dataType)
    case .vector(_, .some): return .labels(try Classification.decode(bytes, as: spec))
    case .vector, .scalar:
      let numbers = try Number.decode(bytes, as: spec)
      return numbers.count == 1 ? .number(numbers[0]) : .numbers(numbers)
    }
  }

  public static func decode(strings: [Data], as spec: TensorSpec) throws -> TensorValue {
    .strings(strings)
  }
}

extension TensorValue.Number {
  fileprivate static func decode(_ bytes: RawSpan, as spec: TensorSpec) throws -> [Self] {
    if spec.quantization != nil { return try [Float].decode(bytes, as: spec).map(Self.float) }
    switch spec.dataType {
    case .float16, .float32: return try [Float].decode(bytes, as: spec).map(Self.float)
    case .float64: return try [Double].decode(bytes, as: spec).map(Self.double)
    case .bool: return try [Bool].decode(bytes, as: spec).map(Self.bool)
    default: return try [Int64].decode(bytes, as: spec).map(Self.integer)
    }
  }
}

extension TensorValue: TensorEncodable {
  public static var tensorKindName: String { "a value" }

  /// The value as the type that implements its encoding.
  private var encodable: any TensorEncodable {
    switch self {
    case .number(let number): number
    case .numbers(let numbers): numbers
    case .labels(let classification): classification.map(\.value)
    case .bytes(let data, _): data
    case .strings(let strings): strings
    case .image(let image): image
    case .classMap(let map): map.classes
    case .decoded(let value): value
    case .tensor(let tensor): tensor
    case .list(let values): values
    }
  }

  public var tensorElementCount: Int? { encodable.tensorElementCount }
  public var tensorItems: [any TensorEncodable]? { encodable.tensorItems }
  public var encodedImageSize: (width: Int, height: Int)? { encodable.encodedImageSize }

  public func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
    if case .strings(let strings) = self {
      guard spec.kind == .bytes, spec.dataType.isByte, strings.count == 1 else {
        throw TensorIOError.wrongKind(
          spec, expected: spec.isImage ? "an image" : "\(spec.dataType) values", found: "text")
      }
    }
    try encodable.encode(into: &memory, as: spec)
  }

  public func tensorStrings(for spec: TensorSpec) throws -> [Data] {
    try encodable.tensorStrings(for: spec)
  }
}

extension TensorValue.Number: TensorEncodable {
  public static var tensorKindName: String { "a number" }
  public var tensorElementCount: Int? { 1 }

  public func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
    switch self {
    case .integer(let integer): try integer.encode(into: &memory, as: spec)
    case .float(let float): try float.encode(into: &memory, as: spec)
    case .double(let double): try double.encode(into: &memory, as: spec)
    case .bool(let bool): try bool.encode(into: &memory, as: spec)
    }
  }

  /// Writes numbers; arrays of only doubles or only integers are written in one pass.
  ///
  /// Almost all long JSON arrays are of one type.
  public static func encode(
    elements: [Self], into memory: inout MutableRawSpan, as spec: TensorSpec
  ) throws {
    var doubles: [Double] = []
    doubles.reserveCapacity(elements.count)
    for case .double(let double) in elements { doubles.append(double) }
    if doubles.count == elements.count {
      return try Double.encode(elements: doubles, into: &memory, as: spec)
    }
    let integers = elements.compactMap { number -> Int64? in
      if case .integer(let integer) = number { integer } else { nil }
    }
    if integers.count == elements.count {
      return try Int64.encode(elements: integers, into: &memory, as: spec)
    }
    for (index, element) in elements.enumerated() {
      let width = spec.dataType.byteWidth
      var part = memory._mutatingExtracting((index * width)..<((index + 1) * width))
      try element.encode(into: &part, as: spec.part(from: index))
    }
  }
}
