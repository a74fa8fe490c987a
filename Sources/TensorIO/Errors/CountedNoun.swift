// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A number and what it counts: "1 picture", "2 pictures".
///
/// - Parameters:
///   - count: The number.
///   - noun: The word for one.
///   - plural: The word for any other number; nil adds an "s".
/// - Returns: The number and the word.
package func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
  "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
}
