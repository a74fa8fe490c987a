// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import TensorIO

/// The outputs of a run.
public final class ModelOutputs: Sendable {
  struct Output: Sendable {
    let format: ModelInputOutputOptions.Format
    let bytes: Data
  }

  private let outputs: [Int: Output]

  init(_ outputs: [Int: Output]) { self.outputs = outputs }

  /// Returns the numbers of an output in nested arrays that have its declared dimensions.
  ///
  /// - Parameter index: The output's index, from 0.
  /// - Returns: `[NSNumber]` for one dimension, `[[NSNumber]]` for two, and so on.
  /// - Throws: An `NSError` with the code ``MLErrorCode/invalidArgument`` if no format was set for
  ///   the output.
  public func output(index: UInt) throws -> Any {
    guard let output = outputs[Int(clamping: index)] else {
      throw makeError(
        .invalidArgument,
        "Output \(index) has no format. Formats were set for the outputs \(outputs.keys.sorted()).")
    }
    let numbers = output.bytes.withUnsafeBytes { bytes -> [NSNumber] in
      switch output.format.type {
      case .float32: bytes.bindMemory(to: Float.self).map { NSNumber(value: $0) }
      case .int32: bytes.bindMemory(to: Int32.self).map { NSNumber(value: $0) }
      case .int64: bytes.bindMemory(to: Int64.self).map { NSNumber(value: $0) }
      default: bytes.map { NSNumber(value: $0) }
      }
    }
    return Self.nested(numbers, output.format.dimensions[...])
  }

  /// Groups elements into arrays, from the last axis to the second.
  ///
  /// With one axis left, the elements already form the result.
  private static func nested<Element>(_ elements: [Element], _ dimensions: ArraySlice<Int>) -> Any {
    guard dimensions.count > 1, let length = dimensions.last else { return elements }
    let rows = stride(from: 0, to: elements.count, by: length).map {
      Array(elements[$0..<$0 + length])
    }
    return nested(rows, dimensions.dropLast())
  }
}
#endif
