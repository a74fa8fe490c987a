// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CTensorFlow
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A tensor in TensorFlow's memory.
///
/// `@unchecked Sendable` because a tensor that is shared is only read: sessions write only to
/// tensors that nothing else uses.
final class TensorFlowTensor: @unchecked Sendable {
  private(set) var handle: OpaquePointer
  private let library: TensorFlowLibrary
  /// The number of string elements that were made here and own their memory.
  private var ownStrings = 0
  private var functions: TensorFlowFunctions { library.functions }

  /// Allocates a tensor whose elements are uninitialized, or empty for strings.
  init(type: Int32, shape: [Int], byteCount: Int, _ library: TensorFlowLibrary) throws {
    let lengths = shape.map(Int64.init)
    // TensorFlow would end the process for a negative length.
    guard shape.allSatisfy({ $0 >= 0 }),
      let handle = library.functions.AllocateTensor(type, lengths, Int32(lengths.count), byteCount)
    else {
      throw TensorIOError(
        .inferenceFailed, "TensorFlow could not allocate a tensor of shape \(shape).")
    }
    self.handle = handle
    self.library = library
    if type == TensorFlowType.string {
      ownStrings = byteCount / MemoryLayout<TF_TString>.stride
      for index in 0..<ownStrings { functions.StringInit(stringPointer(index)) }
    }
  }

  /// Makes a tensor whose only element is a string.
  convenience init(_ string: String, _ library: TensorFlowLibrary) throws {
    try self.init(
      type: TensorFlowType.string, shape: [], byteCount: MemoryLayout<TF_TString>.stride, library)
    setStrings([Data(string.utf8)])
  }

  /// Takes ownership of a tensor that TensorFlow made.
  init(owning handle: OpaquePointer, _ library: TensorFlowLibrary) {
    self.handle = handle
    self.library = library
  }

  deinit {
    // Strings that something else still refers to now belong to it, so don't free them.
    if ownStrings > 0, takeAlone() {
      for index in 0..<ownStrings { functions.StringDealloc(stringPointer(index)) }
    }
    functions.DeleteTensor(handle)
  }

  /// Takes sole ownership of the memory if nothing else refers to it, and returns whether it did.
  ///
  /// After a run, a variable or another tensor may refer to the memory.
  func takeAlone() -> Bool {
    // The old handle is invalid once there is a new one.
    guard let moved = functions.TensorMaybeMove(handle) else { return false }
    handle = moved
    return true
  }

  var byteCount: Int { functions.TensorByteSize(handle) }

  var shape: [Int] {
    (0..<functions.NumDims(handle)).map { Int(functions.Dim(handle, $0)) }
  }

  @inline(__always)
  func withMutableBytes(_ body: (inout MutableRawSpan) throws -> Void) rethrows {
    let bytes = UnsafeMutableRawBufferPointer(
      start: functions.TensorData(handle), count: functions.TensorByteSize(handle))
    var span = bytes.mutableBytes
    try body(&span)
  }

  // MARK: - Strings

  private func stringPointer(_ index: Int) -> UnsafeMutablePointer<TF_TString>? {
    functions.TensorData(handle)?.assumingMemoryBound(to: TF_TString.self).advanced(by: index)
  }

  /// Sets the elements of a tensor of strings that was made here.
  func setStrings(_ strings: [Data]) {
    precondition(strings.count == ownStrings, "A tensor takes as many strings as it has elements.")
    for (index, string) in strings.enumerated() {
      let element = stringPointer(index)
      string.withUnsafeBytes { bytes in
        // Copying frees the element's old memory.
        functions.StringCopy(element, bytes.bindMemory(to: CChar.self).baseAddress, bytes.count)
      }
    }
  }

  /// The elements of a tensor of strings.
  var strings: [Data] {
    (0..<(byteCount / MemoryLayout<TF_TString>.stride)).map { index in
      let element = stringPointer(index)
      let count = functions.StringGetSize(element)
      guard let start = functions.StringGetDataPointer(element), count > 0 else { return Data() }
      return Data(bytes: start, count: count)
    }
  }
}

extension TensorFlowTensor: TensorMemory {
  @inline(__always)
  func withBytes<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
    let bytes = UnsafeRawBufferPointer(
      start: functions.TensorData(handle), count: functions.TensorByteSize(handle))
    return try withExtendedLifetime(self) { try body(bytes.bytes) }
  }
}

/// TensorFlow's numbers for element types.
enum TensorFlowType {
  static let string: Int32 = 7

  private static let names: [Int32: String] = [
    1: "float32", 2: "float64", 3: "int32", 4: "uint8", 5: "int16", 6: "int8", string: "string",
    8: "complex64", 9: "int64", 10: "bool", 14: "bfloat16", 17: "uint16", 18: "complex128",
    19: "float16", 20: "resource", 21: "variant", 22: "uint32", 23: "uint64",
  ]

  /// Returns the data type of a type number, or nil for a type that this library doesn't know.
  static func dataType(_ number: Int32) -> DataType? {
    names[number % reference].flatMap(DataType.init)
  }

  /// Returns TensorFlow's name of a type.
  static func name(_ number: Int32) -> String { names[number % reference] ?? "type \(number)" }

  /// The offset added to a type's number for a reference to a variable.
  private static let reference: Int32 = 100
}
