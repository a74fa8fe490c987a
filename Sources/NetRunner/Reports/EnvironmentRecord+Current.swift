// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension EnvironmentRecord {
  /// Describes the machine that the process runs on.
  ///
  /// - Parameter libraries: The versions of the libraries that run the models.
  /// - Returns: The record.
  static func current(libraries: [String: String]) -> EnvironmentRecord {
    var names = utsname()
    uname(&names)
    let kernel = "\(text(&names.sysname)) \(text(&names.release))"
    let system = value(of: "PRETTY_NAME=", in: "/etc/os-release", separator: "=")
    return EnvironmentRecord(
      system: system.map { "\($0), \(kernel)" } ?? kernel, architecture: text(&names.machine),
      cpu: value(of: "model name", in: "/proc/cpuinfo", separator: ":") ?? text(&names.machine),
      cores: ProcessInfo.processInfo.activeProcessorCount, libraries: libraries)
  }

  /// Converts an array of C characters to a string.
  private static func text<Characters>(_ characters: inout Characters) -> String {
    withUnsafeBytes(of: &characters) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  /// The value of a key in a system file, or nil if the file or the key doesn't exist.
  fileprivate static func value(
    of key: String, in file: String, separator: Character
  ) -> String? {
    guard let bytes = try? FileSystem.read(file) else { return nil }
    let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix(key) }
    let parts = line?.split(separator: separator, maxSplits: 1)
    guard let parts, parts.count == 2 else { return nil }
    return String(parts[1].drop { $0 == " " || $0 == "\t" || $0 == "\"" }.prefix { $0 != "\"" })
  }
}

/// The memory of this process.
package enum ProcessMemory {
  /// The peak memory so far in bytes, or 0 if the system doesn't provide it.
  package static var peak: Int {
    let line = EnvironmentRecord.value(of: "VmHWM:", in: "/proc/self/status", separator: ":")
    let number = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
    return (number ?? 0) * 1024
  }
}
