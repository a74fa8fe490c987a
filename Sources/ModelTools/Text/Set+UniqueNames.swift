// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension Set<String> {
  /// Inserts a name, followed by the separator and a number if the set already has it.
  ///
  /// Returns the name that was inserted.
  package mutating func insertUnique(_ name: String, separator: String) -> String {
    var unique = name
    var number = 2
    while !insert(unique).inserted {
      unique = name + separator + String(number)
      number += 1
    }
    return unique
  }
}
