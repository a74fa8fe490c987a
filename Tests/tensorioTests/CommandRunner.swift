// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIOLiteRT
import TestSupport

/// Runs the `tensorio` binary that was built beside the tests.
enum CommandRunner {
  /// The exit status and the output of a run.
  typealias Result = ChildProcess.Result

  /// The package's folder, in which the binary runs, so that paths in its output are the same on
  /// every machine.
  static let packageFolder = Python.root

  /// Runs the binary.
  ///
  /// - Parameters:
  ///   - arguments: The arguments after `tensorio`.
  ///   - executable: The program to run, for tests that wrap or replace the binary.
  ///   - environment: Variables to set in addition to the test's own; nil removes a variable.
  ///   - input: The text on standard input.
  ///   - interruptedAfter: The seconds after which the signal is sent; nil sends none.
  ///   - interruptedAtOutput: Whether the signal is sent when the binary prints its first output.
  ///   - signal: The signal to send; the default is that of Ctrl-C.
  /// - Returns: The exit status, standard output and standard error.
  /// - Throws: An error if the binary can't be started.
  static func run(
    _ arguments: [String], executable: URL = binary, environment: [String: String?] = [:],
    input: String = "", interruptedAfter: Double? = nil, interruptedAtOutput: Bool = false,
    signal: Int32 = SIGINT
  ) async throws -> Result {
    let variables = ProcessInfo.processInfo.environment.mapValues(Optional.some)
      .merging(["NO_COLOR": "1"] as [String: String?]) { _, new in new }
      .merging(environment) { _, new in new }
      .compactMapValues { $0 }
    let process = try ChildProcess(
      executable.path, arguments, environment: variables, in: packageFolder.path)
    if let interruptedAfter {
      DispatchQueue.global().asyncAfter(deadline: .now() + interruptedAfter) {
        kill(process.identifier, signal)
      }
    }
    let watchdog = DispatchWorkItem { kill(process.identifier, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + longestRun, execute: watchdog)
    defer { watchdog.cancel() }
    return await process.finish(input: Data(input.utf8)) {
      if interruptedAtOutput { kill(process.identifier, signal) }
    }
  }

  /// A run is killed after this many seconds, so that a test fails instead of hanging.
  private static let longestRun = 600.0

  /// The binary, which is in the same folder as the test bundle.
  static let binary: URL = {
    #if os(macOS)
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    let folder = bundle?.bundleURL.deletingLastPathComponent()
    #else
    let folder: URL? = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    #endif
    return (folder ?? packageFolder.appending(path: ".build/debug")).appending(path: "tensorio")
  }()
}

/// A folder that exists for one test.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "tensorio-\(UUID())").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// The sorted names of its entries, including hidden ones.
  var contents: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// The folder of the models, relative to ``CommandRunner/packageFolder``.
let modelsFolder = "Tests/Fixtures/Models"

/// Whether the LiteRT library can be opened, which tests that load models need.
let hasLiteRT: Bool = {
  let model = CommandRunner.packageFolder.appending(path: modelsFolder + "/add.tflite").path
  return (try? LiteRTBackend().liteRTModel(at: model)) != nil
}()
