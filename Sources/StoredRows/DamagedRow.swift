// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// An error for a row whose values differ from what this program stores.
package struct DamagedRow: Error, Sendable, Hashable {
  /// The row's table.
  package var table: String
  /// The values that identify the row, formatted for people.
  package var key: String
  /// What was expected and what was found.
  package var fault: String

  /// Creates an error.
  package init(table: String, key: String, fault: String) {
    self.table = table
    self.key = key
    self.fault = fault
  }
}

extension DamagedRow: CustomStringConvertible {
  /// A sentence with the row, what was expected and what was found.
  package var description: String {
    "The row \(key) of the table '\(table)' is damaged: \(fault)."
  }
}
