// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A row whose values are not what this program stores.
package struct DamagedRow: Error, Sendable, Hashable {
  /// The table that the row is in.
  package var table: String
  /// The values that tell the row from others, as people read them.
  package var key: String
  /// What was expected and what was found.
  package var fault: String

  /// Makes an error.
  package init(table: String, key: String, fault: String) {
    self.table = table
    self.key = key
    self.fault = fault
  }
}

extension DamagedRow: CustomStringConvertible {
  /// A sentence: the row, what was expected and what was found.
  package var description: String {
    "The row \(key) of the table '\(table)' is damaged: \(fault)."
  }
}
