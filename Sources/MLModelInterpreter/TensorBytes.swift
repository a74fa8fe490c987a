// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import TensorIO

/// An input that is checked and ready to be written into a tensor's memory.
struct TensorBytes {
  private let value: ModelInputs.Value
  private let format: ModelInputOutputOptions.Format

  /// Checks an input against its declared format.
  ///
  /// - Throws: An `NSError` with the code ``MLErrorCode/invalidArgument`` if its size or shape
  ///   differs.
  init(
    _ value: ModelInputs.Value, at index: Int, as format: ModelInputOutputOptions.Format
  ) throws {
    switch value {
    case .bytes(let data):
      guard data.count == format.byteCount else {
        throw makeError(
          .invalidArgument,
          "Input \(index) has \(data.count) bytes, but \(format.text) has \(format.byteCount).")
      }
    case .numbers(let numbers, let shape):
      // As in ML Kit, the values may also be one flat array.
      guard shape == format.dimensions || (shape.count == 1 && numbers.count == format.count) else {
        throw makeError(
          .invalidArgument,
          "Input \(index) has arrays of the shape \(shape), but its format has the dimensions "
            + "\(format.dimensions).")
      }
    }
    self.value = value
    self.format = format
  }

  /// Writes the tensor.
  ///
  /// - Throws: An `NSError` with the code ``MLErrorCode/invalidArgument`` if the element type can't
  ///   represent a number.
  func write(into memory: inout MutableRawSpan) throws {
    try memory.withUnsafeMutableBytes { memory in
      switch value {
      case .bytes(let data): data.copyBytes(to: memory)
      case .numbers(let numbers, _):
        switch format.type {
        case .float32: try fill(memory, numbers) { .some(Self.float($0)) }
        case .int32: try fill(memory, numbers) { Self.integer($0).flatMap(Int32.init(exactly:)) }
        case .int64: try fill(memory, numbers) { Self.integer($0) }
        default: try fill(memory, numbers) { Self.integer($0).flatMap(UInt8.init(exactly:)) }
        }
      }
    }
  }

  private func fill<Element>(
    _ memory: UnsafeMutableRawBufferPointer, _ numbers: [ModelInputs.Number],
    _ convert: (ModelInputs.Number) -> Element?
  ) throws {
    let elements = memory.bindMemory(to: Element.self)
    for (index, number) in numbers.enumerated() {
      guard let element = convert(number) else {
        let text =
          switch number {
          case .integer(let integer): "\(integer)"
          case .real(let real): "\(real)"
          }
        throw makeError(
          .invalidArgument, "The number \(text) does not fit into \(format.type.rawValue).")
      }
      elements[index] = element
    }
  }

  private static func float(_ number: ModelInputs.Number) -> Float {
    switch number {
    case .integer(let integer): Float(integer)
    case .real(let real): Float(real)
    }
  }

  private static func integer(_ number: ModelInputs.Number) -> Int64? {
    switch number {
    case .integer(let integer): integer
    case .real(let real): Int64(exactly: real)
    }
  }
}
#endif
