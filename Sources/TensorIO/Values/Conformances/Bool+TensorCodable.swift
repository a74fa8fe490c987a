// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Booleans only fit layers of bools, which also take the numbers 0 and 1.
extension Bool: TensorEncodable, TensorDecodable {
  public static var tensorKindName: String { "a boolean" }
  public var tensorElementCount: Int? { 1 }

  public func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
    guard spec.dataType == .bool else {
      throw TensorIOError.wrongKind(
        spec, expected: "\(spec.dataType) values", found: Self.tensorKindName)
    }
    try UInt8(self ? 1 : 0).encode(into: &memory, as: spec)
  }

  public static func decode(_ bytes: RawSpan, as spec: TensorSpec) throws -> Bool {
    try checkType(of: spec)
    return try UInt8.decode(bytes, as: spec) != 0
  }

  public static func decodeElements(_ bytes: RawSpan, as spec: TensorSpec) throws -> [Bool] {
    try checkType(of: spec)
    return try UInt8.decodeElements(bytes, as: spec).map { $0 != 0 }
  }

  private static func checkType(of spec: TensorSpec) throws {
    guard spec.dataType == .bool else {
      throw TensorIOError.wrongOutputType(spec, "Bool", because: "it holds \(spec.dataType)")
    }
  }
}
