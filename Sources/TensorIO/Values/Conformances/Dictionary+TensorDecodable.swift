// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The values of a classifier by label; if two classes share a name, the last one's.
extension Dictionary: TensorDecodable where Key == String, Value == Float {
  public static func decode(_ bytes: RawSpan, as spec: TensorSpec) throws -> [String: Float] {
    try Classification.decode(bytes, as: spec).dictionary
  }
}
