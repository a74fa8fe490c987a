// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The Python that results are compared with.
package enum Python {
  /// The interpreter, with the packages of Tools/requirements.txt; nil where `TENSORIO_PYTHON` names
  /// none.
  package static let path = ProcessInfo.processInfo.environment["TENSORIO_PYTHON"]
    .flatMap { $0.isEmpty ? nil : $0 }

  /// The package's folder.
  package static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Runs a program of Python to its end.
  ///
  /// - Parameters:
  ///   - arguments: The words after `python`; a script of this package by its path in it.
  ///   - input: What stands on standard input.
  /// - Returns: What it printed.
  /// - Throws: ``Failure`` when it did not end well.
  @discardableResult
  package static func run(_ arguments: [String], input: Data = Data()) async throws -> String {
    guard let path else { throw Failure(message: "TENSORIO_PYTHON names no Python.") }
    var environment = ProcessInfo.processInfo.environment
    environment["PYTHONPATH"] = root.appending(path: "Tools/peers").path
    let process = try ChildProcess(path, arguments, environment: environment, in: root.path)
    let result = await process.finish(input: input)
    guard result.status == 0 else {
      throw Failure(message: "Python ended with \(result.status): \(result.error)")
    }
    return result.output
  }

  /// Python did not do what it was asked to.
  package struct Failure: Error, CustomStringConvertible {
    package let message: String
    package var description: String { message }
  }
}
