// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import Synchronization
import TensorIO

/// The inputs of a run, in the order of the model's inputs.
public final class ModelInputs: Sendable {
  enum Value: Sendable {
    case bytes(Data)
    /// The numbers of nested arrays, row by row, and the arrays' lengths.
    case numbers([Number], shape: [Int])
  }

  /// A number that keeps its full precision.
  enum Number: Sendable {
    case integer(Int64)
    case real(Double)
  }

  private let state = Mutex<[Value]>([])

  /// Creates an empty list of inputs.
  public init() {}

  var values: [Value] { state.withLock { $0 } }

  /// Adds the next input.
  ///
  /// - Parameter input: `Data` with the tensor's bytes in the machine's byte order, or nested
  ///   arrays of numbers.
  /// - Throws: An `NSError` with the code ``MLErrorCode/invalidArgument`` for other values.
  public func addInput(_ input: Any) throws {
    let value: Value
    switch input {
    case let data as Data:
      guard !data.isEmpty else {
        throw makeError(.invalidArgument, "An input must have at least one byte.")
      }
      value = .bytes(data)
    case let array as [Any]:
      var reader = NestedArrayReader()
      try reader.read(array)
      value = .numbers(reader.numbers, shape: reader.shape)
    default:
      throw makeError(
        .invalidArgument,
        "An input must be Data or nested arrays of numbers, not \(type(of: input)).")
    }
    state.withLock { $0.append(value) }
  }
}

/// Reads nested arrays of numbers, which must have equal lengths at each depth.
private struct NestedArrayReader {
  var numbers: [ModelInputs.Number] = []
  var shape: [Int] = []

  mutating func read(_ array: [Any], depth: Int = 0) throws {
    guard !array.isEmpty, depth < 32 else {
      throw makeError(
        .invalidArgument, "An input contains an empty array, or arrays that are nested too deeply.")
    }
    if depth == shape.count {
      guard numbers.isEmpty else { throw Self.unequal }
      shape.append(array.count)
    }
    guard shape[depth] == array.count else { throw Self.unequal }
    for element in array {
      if let inner = element as? [Any] {
        try read(inner, depth: depth + 1)
      } else {
        guard depth == shape.count - 1 else { throw Self.unequal }
        numbers.append(try Self.number(element))
      }
    }
  }

  private static func number(_ value: Any) throws -> ModelInputs.Number {
    switch value {
    case let value as any BinaryInteger:
      guard let integer = Int64(exactly: value) else {
        throw makeError(.invalidArgument, "\(value) is too large for an input.")
      }
      return .integer(integer)
    case let value as any BinaryFloatingPoint: return .real(Double(value))
    case let value as NSNumber:
      let type = String(cString: value.objCType)
      if ["f", "d"].contains(type) { return .real(value.doubleValue) }
      guard type != "Q" || value.uint64Value <= UInt64(Int64.max) else {
        throw makeError(.invalidArgument, "\(value) is too large for an input.")
      }
      return .integer(value.int64Value)
    default:
      throw makeError(
        .invalidArgument, "An input's arrays must contain numbers, not \(type(of: value)).")
    }
  }

  private static let unequal = makeError(
    .invalidArgument, "An input's arrays must have the same length at each depth.")
}
#endif
