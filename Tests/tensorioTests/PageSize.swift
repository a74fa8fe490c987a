// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO
import TestSupport
import Testing

/// The size of the window in which a script uses Net Runner's page.
enum PageSize: String, CaseIterable, CustomTestStringConvertible {
  /// A phone with a touchscreen.
  case phone = "390x844"
  case medium = "1024x768"
  case large = "1920x1080"

  var testDescription: String { rawValue }

  /// Uses the page as people do.
  ///
  /// - Parameters:
  ///   - script: The name of a script in Tools/peers.
  ///   - arguments: The script's arguments.
  /// - Returns: What the script saw.
  /// - Throws: An error if the script fails.
  func use(_ script: String, _ arguments: [String]) async throws -> [String: JSONValue] {
    let output = try await Python.run(
      ["Tools/peers/\(script)"] + arguments + ["--size", rawValue])
    guard case .object(let seen) = try JSONValue(parsing: Data(output.utf8)) else {
      Issue.record("\(script) printed \(output)")
      return [:]
    }
    return seen
  }
}
#endif
