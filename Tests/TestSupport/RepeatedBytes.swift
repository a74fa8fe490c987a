// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Returns a number of bytes that repeat a pattern.
///
/// Without optimization, computing each of some million bytes takes seconds. This copies them.
package func repeating(_ pattern: [UInt8], count: Int) -> [UInt8] {
  var bytes = pattern
  while bytes.count < count { bytes += bytes }
  return Array(bytes.prefix(count))
}
