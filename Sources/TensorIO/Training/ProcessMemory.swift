// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import Files

/// The memory of this process.
package enum ProcessMemory {
  /// The number of bytes that are in the machine's memory; nil where the system doesn't report it.
  package static var residentBytes: Int? {
    #if os(Linux)
    // The second number of the file is the number of resident pages.
    guard let file = try? OpenFile(reading: "/proc/self/statm"),
      let text = try? String(decoding: file.read(atMost: 256), as: UTF8.self)
    else { return nil }
    let numbers = text.split(separator: " ")
    return numbers.count < 2 ? nil : Int(numbers[1]).map { $0 * Int(getpagesize()) }
    #else
    return nil
    #endif
  }
}
