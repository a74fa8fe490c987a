// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Formats a number and the thing that it counts, such as "1 image" or "2 images".
///
/// - Parameters:
///   - count: The number.
///   - noun: The singular.
///   - plural: The plural; nil adds an "s" to the singular.
/// - Returns: The number and the noun.
package func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
  "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
}
