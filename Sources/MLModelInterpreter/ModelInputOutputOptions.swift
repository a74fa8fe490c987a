// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import Foundation
import Synchronization
import TensorIO

/// The types and dimensions of a model's inputs and outputs.
public final class ModelInputOutputOptions: Sendable {
  struct Format: Sendable, Hashable {
    let type: DataType
    let dimensions: [Int]
    let count: Int

    var byteCount: Int { count * type.byteWidth }
    var text: String { "\(type.rawValue) \(dimensions)" }
  }

  struct Formats: Sendable {
    var inputs: [Int: Format] = [:]
    var outputs: [Int: Format] = [:]
  }

  private let state = Mutex(Formats())

  /// Creates options without formats.
  public init() {}

  var formats: Formats { state.withLock { $0 } }

  /// Sets the format of an input.
  ///
  /// - Parameters:
  ///   - index: The input's index, from 0.
  ///   - type: The type of its elements.
  ///   - dimensions: The lengths of its axes.
  /// - Throws: An `NSError` with the code ``MLErrorCode/invalidArgument`` if no tensor can have
  ///   this format.
  public func setInputFormat(
    index: UInt, type: ModelElementType, dimensions: [NSNumber]
  ) throws {
    let format = try Self.format("Input", index, type, dimensions)
    state.withLock { $0.inputs[Int(clamping: index)] = format }
  }

  /// Sets the format of an output.
  ///
  /// - Parameters:
  ///   - index: The output's index, from 0.
  ///   - type: The type of its elements.
  ///   - dimensions: The lengths of its axes.
  /// - Throws: An `NSError` with the code ``MLErrorCode/invalidArgument`` if no tensor can have
  ///   this format.
  public func setOutputFormat(
    index: UInt, type: ModelElementType, dimensions: [NSNumber]
  ) throws {
    let format = try Self.format("Output", index, type, dimensions)
    state.withLock { $0.outputs[Int(clamping: index)] = format }
  }

  private static func format(
    _ what: String, _ index: UInt, _ type: ModelElementType, _ dimensions: [NSNumber]
  ) throws -> Format {
    guard let dataType = type.dataType else {
      throw makeError(.invalidArgument, "\(what) \(index) needs a known element type.")
    }
    guard !dimensions.isEmpty else {
      throw makeError(.invalidArgument, "\(what) \(index) needs at least one dimension.")
    }
    var lengths: [Int] = []
    var count = 1
    for number in dimensions {
      guard let length = Int(exactly: number.doubleValue), length > 0 else {
        throw makeError(
          .invalidArgument,
          "\(what) \(index) has the dimension \(number), but dimensions must be whole numbers of 1 "
            + "or more.")
      }
      let (product, overflow) = count.multipliedReportingOverflow(by: length)
      guard !overflow, product <= 1 << 40 else {
        throw makeError(
          .invalidArgument, "\(what) \(index) is too large: its dimensions are \(dimensions).")
      }
      lengths.append(length)
      count = product
    }
    return Format(type: dataType, dimensions: lengths, count: count)
  }
}

/// The type of a tensor's elements.
public enum ModelElementType: UInt, Sendable {
  /// An unknown type, which no model has.
  case unknown = 0
  /// 32-bit floating-point numbers.
  case float32 = 1
  /// 32-bit integers.
  case int32 = 2
  /// 8-bit unsigned integers.
  case uInt8 = 3
  /// 64-bit integers.
  case int64 = 4

  var dataType: DataType? {
    switch self {
    case .unknown: nil
    case .float32: .float32
    case .int32: .int32
    case .uInt8: .uint8
    case .int64: .int64
    }
  }
}
#endif
