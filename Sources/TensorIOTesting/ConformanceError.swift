// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A promise that a backend does not keep.
public struct ConformanceError: Error, CustomStringConvertible {
  /// What was expected, and what happened.
  public var description: String

  init(_ description: String) { self.description = description }
}

/// Throws when a promise is not kept.
func require(_ condition: Bool, _ message: @autoclosure () throws -> String) throws {
  guard condition else { throw ConformanceError(try message()) }
}
