// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The memory that this process has in use.
func residentKilobytes() throws -> Int {
  #if os(Linux)
  let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
  return try #require(Int(line.split(separator: " ", omittingEmptySubsequences: true)[1]))
  #else
  return 0
  #endif
}
