// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// SQLite's description of a call that failed.
package struct SQLiteError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure: SQLite's primary result code.
  package var code: Code
  /// SQLite's own message.
  package var message: String

  /// SQLite's primary result codes that callers distinguish.
  package struct Code: RawRepresentable, Sendable, Hashable {
    package var rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let error = Code(rawValue: 1)
    package static let busy = Code(rawValue: 5)
    package static let locked = Code(rawValue: 6)
    package static let readOnly = Code(rawValue: 8)
    package static let corrupt = Code(rawValue: 11)
    package static let full = Code(rawValue: 13)
    package static let cannotOpen = Code(rawValue: 14)
    package static let schema = Code(rawValue: 17)
    package static let constraint = Code(rawValue: 19)
    package static let notADatabase = Code(rawValue: 26)
  }

  package var description: String { "SQLite error \(code.rawValue): \(message)" }
}
