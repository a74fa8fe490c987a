// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CLiteRT
import TensorIO

/// A tensor's memory, which this class owns, and LiteRT's handle to it.
final class LiteRTBuffer {
  let handle: LiteRtTensorBuffer
  let memory: AlignedMemory
  let elementType: Int32
  let shape: [Int]
  /// The number of bytes of the elements.
  ///
  /// For strings, this is the capacity.
  let byteCount: Int

  var isString: Bool { LiteRT.dataType(elementType) == .string }

  private let library: LiteRTLibrary

  init(elementType: Int32, shape: [Int], requiredBytes: Int, _ library: LiteRTLibrary) throws {
    self.elementType = elementType
    self.shape = shape
    self.library = library
    guard let elements = shape.elementCount else {
      throw TensorIOError(
        .unsupportedModel,
        "A tensor has the shape \(shape), which exceeds the limit of \(Int32.max) elements.")
    }
    byteCount =
      switch LiteRT.dataType(elementType) {
      case .string: max(requiredBytes, LiteRTStrings.leastBytes(elements))
      case let dataType?: elements * dataType.byteWidth
      case nil: requiredBytes
      }
    let allocated = max(requiredBytes, byteCount, 1)
    guard allocated < 1 << 31 else {
      throw TensorIOError(
        .unsupportedModel,
        "A tensor of shape \(shape) needs \(allocated) bytes, but tensors must be smaller than 2 "
          + "GiB."
      )
    }
    memory = AlignedMemory(byteCount: allocated)
    var type = LiteRtRankedTensorType(element_type: elementType, layout: LiteRtLayout(shape: shape))
    var handle: LiteRtTensorBuffer?
    let status = library.functions.CreateTensorBufferFromHostMemory(
      &type, memory.start, allocated, nil, &handle)
    guard status == LiteRT.ok, let handle else {
      throw TensorIOError(
        .unsupportedModel,
        "LiteRT rejected the memory for a tensor of shape \(shape): \(LiteRT.name(of: status)).")
    }
    self.handle = handle
  }

  /// Calls a closure that fills the elements' bytes.
  func withMutableBytes(_ body: (inout MutableRawSpan) throws -> Void) throws {
    var span = UnsafeMutableRawBufferPointer(start: memory.start, count: byteCount).mutableBytes
    try body(&span)
  }

  /// Calls a closure with the elements' bytes.
  func withBytes(_ body: (RawSpan) throws -> Void) throws {
    try body(UnsafeRawBufferPointer(start: memory.start, count: byteCount).bytes)
  }

  deinit { library.functions.DestroyTensorBuffer(handle) }
}
