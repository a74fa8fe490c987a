// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Array: TensorEncodable where Element: TensorEncodable {
  public static var tensorKindName: String { "an array" }

  public var tensorElementCount: Int? {
    // Numbers have one element each. Nested arrays may differ, so each is asked.
    if Element.self is any TensorNumber.Type { return count }
    var total = 0
    for element in self {
      guard let count = element.tensorElementCount else { return nil }
      total += count
    }
    return total
  }

  public func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
    if let count = tensorElementCount, count * spec.dataType.byteWidth != memory.byteCount {
      if spec.isImage {
        throw TensorIOError.wrongKind(spec, expected: "an image", found: Self.tensorKindName)
      }
      throw TensorIOError.wrongElementCount(spec, found: count, in: memory)
    }
    try Element.encode(elements: self, into: &memory, as: spec)
  }

  public func tensorStrings(for spec: TensorSpec) throws -> [Data] {
    try flatMap { try $0.tensorStrings(for: spec) }
  }

  public var tensorItems: [any TensorEncodable]? { map { $0 as any TensorEncodable } }
}

extension Array: TensorDecodable where Element: TensorDecodable {
  public static func decode(_ bytes: RawSpan, as spec: TensorSpec) throws -> [Element] {
    try Element.decodeElements(bytes, as: spec)
  }

  public static func decode(strings: [Data], as spec: TensorSpec) throws -> [Element] {
    try strings.map { try Element.decode(strings: [$0], as: spec) }
  }
}
