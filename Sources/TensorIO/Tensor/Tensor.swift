// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Elements of one type in row-major order, with a shape.
///
/// A tensor fits any layer with the same data type and element count. Its bytes are copied without
/// conversion, normalization or quantization.
public struct Tensor: Sendable {
  /// The lengths of the axes.
  public let shape: [Int]
  /// The type of the elements.
  public let dataType: DataType

  private let storage: TensorStorage

  /// Makes a tensor from numbers.
  ///
  /// - Parameters:
  ///   - numbers: The elements in row-major order, of a type that tensors can hold.
  ///   - shape: The lengths of the axes; nil means one axis.
  /// - Throws: ``TensorIOError`` when the count does not match the shape.
  public init<Number: TensorNumber>(_ numbers: [Number], shape: [Int]? = nil) throws {
    guard let dataType = Number.matchingDataType else {
      throw TensorIOError(.wrongKind, "A tensor can't hold elements of type \(Number.self).")
    }
    try self.init(
      copying: numbers.span.bytes, dataType: dataType, shape: shape ?? [numbers.count])
  }

  /// Makes a tensor from bytes in the machine's byte order.
  ///
  /// - Throws: ``TensorIOError`` when the count does not match the shape.
  public init(copying bytes: RawSpan, dataType: DataType, shape: [Int]) throws {
    guard let expected = Self.byteCount(of: shape, dataType), dataType != .string else {
      throw TensorIOError(
        .wrongElementCount, "A tensor in memory can't be \(dataType) with the shape \(shape).")
    }
    guard bytes.byteCount == expected else {
      throw TensorIOError(
        .wrongElementCount,
        "A \(dataType) tensor of shape \(shape) has \(expected) bytes, got \(bytes.byteCount).")
    }
    self.shape = shape
    self.dataType = dataType
    self.storage = TensorStorage(copying: bytes)
  }

  private static func byteCount(of shape: [Int], _ dataType: DataType) -> Int? {
    var count = dataType.byteWidth
    for length in shape {
      let (product, overflow) = count.multipliedReportingOverflow(by: length)
      guard length >= 0, !overflow else { return nil }
      count = product
    }
    return count
  }

  /// Calls a closure with the bytes.
  public func withBytes<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
    try storage.withBytes(body)
  }

  /// Returns the elements as numbers, converted exactly.
  ///
  /// - Throws: ``TensorIOError`` when an element cannot be converted.
  public func numbers<Number: TensorNumber>(as type: Number.Type = Number.self) throws -> [Number] {
    let spec = TensorSpec(
      name: "tensor", shape: shape, dataType: dataType, kind: .vector(nil, labels: nil))
    return try withBytes { try [Number].decode($0, as: spec) }
  }
}

extension Tensor: Equatable {
  public static func == (left: Tensor, right: Tensor) -> Bool {
    left.shape == right.shape && left.dataType == right.dataType
      && left.withBytes { one in right.withBytes { one.isEqual(to: $0) } }
  }
}

extension Tensor: TensorEncodable, TensorDecodable {
  public static var tensorKindName: String { "a tensor" }
  public var tensorElementCount: Int? { shape.reduce(1, *) }

  public func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
    guard dataType == spec.dataType else {
      throw TensorIOError.wrongKind(
        spec, expected: "\(spec.dataType) values", found: "a tensor of \(dataType)")
    }
    try withBytes { bytes in
      guard bytes.byteCount == memory.byteCount else {
        throw TensorIOError.wrongElementCount(spec, found: shape.reduce(1, *))
      }
      try copyElements(bytes, into: &memory, as: spec)
    }
  }

  public static func decode(_ bytes: RawSpan, as spec: TensorSpec) throws -> Tensor {
    try Tensor(copying: bytes, dataType: spec.dataType, shape: spec.itemShape)
  }
}
