// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension InferenceModel {
  /// Runs a model with one input on numbers in borrowed memory, without an array of them.
  ///
  /// - Parameter values: The elements of the input, in row-major order.
  /// - Returns: The outputs.
  /// - Throws: ``TensorIOError``, as for an array of the numbers.
  public func run<Number: TensorNumber>(_ values: Span<Number>) throws -> ModelOutputs {
    try values.withUnsafeBufferPointer { try run(ModelInputs(BorrowedNumbers(values: $0))) }
  }

  /// Runs a model with one input on the raw bytes of its tensor in borrowed memory.
  ///
  /// - Parameter bytes: The bytes, as of `Data`.
  /// - Returns: The outputs.
  /// - Throws: ``TensorIOError``, as for `Data`.
  public func run(bytes: RawSpan) throws -> ModelOutputs {
    try bytes.withUnsafeBytes { try run(ModelInputs(BorrowedBytes(bytes: $0))) }
  }
}

/// Numbers that are valid during a blocking run.
///
/// `@unchecked Sendable` because they stay on the thread that lends them.
private struct BorrowedNumbers<Number: TensorNumber>: TensorEncodable, @unchecked Sendable {
  static var tensorKindName: String { "an array" }

  let values: UnsafeBufferPointer<Number>
  var tensorElementCount: Int? { values.count }

  func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
    try NumberEncoder(spec: spec).encode(values, into: &memory)
  }
}

/// Bytes that are valid during a blocking run.
///
/// `@unchecked Sendable` because they stay on the thread that lends them.
private struct BorrowedBytes: TensorEncodable, @unchecked Sendable {
  static let tensorKindName = "bytes"

  let bytes: UnsafeRawBufferPointer
  var tensorElementCount: Int? { nil }

  func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
    try encodeBytes(bytes.bytes, into: &memory, as: spec)
  }
}
