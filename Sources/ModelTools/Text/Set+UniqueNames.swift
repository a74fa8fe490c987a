// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension Set<String> {
  /// Inserts a name, followed by a number if the set already has the name.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - separator: The text between the name and the number.
  /// - Returns: The name that was inserted.
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
