// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

extension TensorSpec {
  /// Returns how the layer is coded.
  ///
  /// - Throws: `TensorIOError` if the layer has another type, which doesn't take this kind of value.
  func coding<Value: TensorEncodable>(_ type: String, for value: Value.Type) throws -> LayerCoding {
    guard let coding, coding.type == type else {
      throw TensorIOError.wrongKind(
        self, expected: isImage ? "an image" : "numbers", found: Value.tensorKindName)
    }
    return coding
  }
}
