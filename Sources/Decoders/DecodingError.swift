// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// An error about tensors or options that a decoder can't use.
package struct DecodingError: Error, Equatable, CustomStringConvertible {
  /// What was expected, what was found, and how to fix it.
  package let message: String

  package init(_ message: String) { self.message = message }

  package var description: String { message }
}
