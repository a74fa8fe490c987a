// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Bytes that are written once and then only read, in one allocation shared by reference.
///
/// `@unchecked Sendable` because nothing writes after the initializer has returned.
package struct TensorStorage: @unchecked Sendable {
  private let memory: ManagedBuffer<Int, UInt8>
  /// The number of readable bytes after the last one, because kernels load whole vectors.
  private static let slack = pixelRowSlack

  package var byteCount: Int { memory.header }

  /// Allocates bytes and lets a closure fill them; if they aren't zeroed first, it must write every
  /// byte.
  package init(
    byteCount: Int, zeroed: Bool = true, fill: (inout MutableRawSpan) throws -> Void
  ) rethrows {
    memory = ManagedBuffer<Int, UInt8>.create(minimumCapacity: byteCount + Self.slack) { _ in
      byteCount
    }
    try memory.withUnsafeMutablePointerToElements { elements in
      if zeroed { elements.initialize(repeating: 0, count: byteCount) }
      (elements + byteCount).initialize(repeating: 0, count: Self.slack)
      var span = MutableRawSpan(
        _unsafeStart: UnsafeMutableRawPointer(elements), byteCount: byteCount)
      try fill(&span)
    }
  }

  package init(copying bytes: RawSpan) {
    self.init(byteCount: bytes.byteCount, zeroed: false) { $0.copy(from: bytes) }
  }

  package func withBytes<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
    try memory.withUnsafeMutablePointers { count, elements in
      try body(RawSpan(_unsafeStart: UnsafeRawPointer(elements), byteCount: count.pointee))
    }
  }
}

extension MutableRawSpan {
  /// Copies bytes to the front; they must fit.
  package mutating func copy(from source: RawSpan) {
    precondition(source.byteCount <= byteCount, "The bytes must fit.")
    withUnsafeMutableBytes { destination in
      source.withUnsafeBytes { destination.copyMemory(from: $0) }
    }
  }

  /// Computes every element from its index; the memory must be aligned for the element type.
  @inline(__always)
  package mutating func storeElements<Element: BitwiseCopyable, Failure: Error>(
    of type: Element.Type, _ element: (Int) throws(Failure) -> Element
  ) throws(Failure) {
    let count = byteCount / MemoryLayout<Element>.stride
    try withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) throws(Failure) in
      let elements = bytes.assumingMemoryBound(to: Element.self)
      for index in 0..<count { elements[index] = try element(index) }
    }
  }
}

extension RawSpan {
  package func isEqual(to other: RawSpan) -> Bool {
    withUnsafeBytes { left in other.withUnsafeBytes { left.elementsEqual($0) } }
  }

  /// Returns an array of results computed from every element; the bytes may have any alignment.
  @inline(__always)
  package func mapElements<Element: BitwiseCopyable, Result, Failure: Error>(
    of type: Element.Type, _ transform: (Element, Int) throws(Failure) -> Result
  ) throws(Failure) -> [Result] {
    let count = byteCount / MemoryLayout<Element>.stride
    var results: [Result] = []
    results.reserveCapacity(count)
    for index in 0..<count {
      let element = unsafeLoadUnaligned(
        fromUncheckedByteOffset: index * MemoryLayout<Element>.stride, as: Element.self)
      results.append(try transform(element, index))
    }
    return results
  }
}
