// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The raw bytes of a tensor in any collection of bytes, such as a view of SwiftNIO's `ByteBuffer`.
///
/// They mean the same as `Data`. A collection whose bytes are contiguous is copied once, into the
/// tensor:
///
/// ```swift
/// let outputs = try await model.run(TensorBytes(buffer.readableBytesView))
/// ```
public struct TensorBytes<Bytes: Collection<UInt8> & Sendable>: TensorEncodable {
  public static var tensorKindName: String { "bytes" }
  public var tensorElementCount: Int? { nil }

  private let bytes: Bytes

  /// Makes a value of bytes in the tensor's data type and byte order.
  ///
  /// - Parameter bytes: The bytes; float32 numbers for a layer with a quantization.
  public init(_ bytes: Bytes) { self.bytes = bytes }

  public func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
    try withContiguousBytes(of: bytes) { try encodeBytes($0.bytes, into: &memory, as: spec) }
  }

  public func tensorStrings(for spec: TensorSpec) throws -> [Data] { [Data(bytes)] }
}

/// Calls a closure with the bytes of a collection, which are only copied if they aren't contiguous.
package func withContiguousBytes<Result>(
  of bytes: some Collection<UInt8>, _ body: (UnsafeRawBufferPointer) throws -> Result
) rethrows -> Result {
  let result = try bytes.withContiguousStorageIfAvailable { storage in
    try body(UnsafeRawBufferPointer(storage))
  }
  if let result { return result }
  return try Array(bytes).withUnsafeBytes(body)
}

/// Writes raw bytes into a tensor, or float32 numbers if the layer has a quantization.
func encodeBytes(
  _ bytes: RawSpan, into memory: inout MutableRawSpan, as spec: TensorSpec
) throws {
  if spec.quantization != nil {
    let expected = memory.byteCount / max(spec.dataType.byteWidth, 1) * 4
    guard bytes.byteCount == expected else {
      throw wrongByteCount(spec, found: bytes.byteCount, expected: expected, because: " as float32")
    }
    let numbers = bytes.mapElements(of: Float.self) { number, _ in number }
    return try numbers.encode(into: &memory, as: spec)
  }
  guard bytes.byteCount == memory.byteCount else {
    throw wrongByteCount(
      spec, found: bytes.byteCount, expected: memory.byteCount, because: " of \(spec.dataType)")
  }
  try copyElements(bytes, into: &memory, as: spec)
}

/// Copies elements of a tensor's own type, of which there are as many as the tensor has.
///
/// - Throws: ``TensorIOError`` if a byte isn't a boolean, because runtimes compute wrong results then.
func copyElements(
  _ bytes: RawSpan, into memory: inout MutableRawSpan, as spec: TensorSpec
) throws {
  if spec.dataType == .bool {
    let wrong = (0..<bytes.byteCount).first {
      bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) > 1
    }
    if let wrong {
      let found = bytes.unsafeLoad(fromByteOffset: wrong, as: UInt8.self)
      throw TensorIOError(
        .wrongKind,
        "'\(spec.name)' takes booleans, whose bytes are 0 or 1, but byte \(wrong) is \(found).")
    }
  }
  memory.copy(from: bytes)
}

private func wrongByteCount(
  _ spec: TensorSpec, found: Int, expected: Int, because reason: String
) -> TensorIOError {
  TensorIOError(
    .wrongElementCount,
    "'\(spec.name)' takes \(expected) bytes (\(spec.elementCount) values\(reason)), got \(found)."
      + (spec.isImage ? " Pass the bytes of an image's file as an ImageFile." : ""))
}
