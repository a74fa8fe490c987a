// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The Python interpreter whose results the tests compare with.
package enum Python {
  /// The path of an interpreter that has the packages of Tools/requirements.txt; nil if
  /// `TENSORIO_PYTHON` isn't set.
  package static let path = ProcessInfo.processInfo.environment["TENSORIO_PYTHON"]
    .flatMap { $0.isEmpty ? nil : $0 }

  /// The root folder of this package.
  package static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Runs a Python program until it ends.
  ///
  /// - Parameters:
  ///   - arguments: The arguments of `python`. Scripts are given by their path in this package.
  ///   - input: What the program reads from standard input.
  /// - Returns: What it printed.
  /// - Throws: ``Failure`` when it exits with an error.
  @discardableResult
  package static func run(_ arguments: [String], input: Data = Data()) async throws -> String {
    guard let path else { throw Failure(message: "TENSORIO_PYTHON names no Python.") }
    var environment = ProcessInfo.processInfo.environment
    environment["PYTHONPATH"] = root.appending(path: "Tools/peers").path
    let process = try ChildProcess(path, arguments, environment: environment, in: root.path)
    let result = await process.finish(input: input)
    guard result.status == 0 else {
      // pytest and unittest say on different streams what failed.
      let output = result.output.suffix(8000)
      throw Failure(message: "Python ended with \(result.status):\n\(output)\n\(result.error)")
    }
    return result.output
  }

  /// Runs a Python program that needs large libraries, in a process that has already imported them.
  ///
  /// The import of TensorFlow, Keras, SciPy, scikit-learn or librosa takes seconds of a processor.
  ///
  /// - Parameters: Those of ``run(_:input:)``.
  /// - Returns: What it printed.
  /// - Throws: ``Failure`` when it exits with an error.
  package static func compute(_ arguments: [String], input: Data = Data()) async throws -> String {
    try await run([prefork, "run", Prepared.shared.get().socket] + arguments, input: input)
  }

  private static let prefork = "Tools/peers/prefork.py"

  /// The process that has imported the libraries.
  ///
  /// It ends with this process, which closes its input.
  private struct Prepared {
    static let shared = Result { try Prepared() }

    let socket = FileManager.default.temporaryDirectory.appending(path: "python-\(UUID())").path
    let process: ChildProcess

    init() throws {
      guard let path else { throw Failure(message: "TENSORIO_PYTHON names no Python.") }
      process = try ChildProcess(path, [prefork, "serve", socket])
    }
  }

  /// An error of the Python program.
  package struct Failure: Error, CustomStringConvertible {
    package let message: String
    package var description: String { message }
  }
}
