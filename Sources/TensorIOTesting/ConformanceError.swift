// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The error for a requirement that a backend doesn't meet.
public struct ConformanceError: Error, CustomStringConvertible {
  /// A description of what was expected and what happened.
  public var description: String

  init(_ description: String) { self.description = description }
}

/// Throws an error unless a condition is true.
func require(_ condition: Bool, _ message: @autoclosure () throws -> String) throws {
  guard condition else { throw ConformanceError(try message()) }
}
