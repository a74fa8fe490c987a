// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIOLiteRT
import TestSupport

/// Runs the `tensorio` binary that was built beside the tests.
enum CommandRunner {
  /// What a run of the binary left.
  typealias Result = ChildProcess.Result

  /// The package's folder, where runs start: paths in their output are the same on every machine.
  static let packageFolder = Python.root

  /// Runs the binary with arguments.
  ///
  /// - Parameters:
  ///   - arguments: The words after `tensorio`.
  ///   - executable: Another program to run, for tests that stand between.
  ///   - environment: Variables to set on top of the test's own; nil removes one.
  ///   - input: What stands on standard input.
  ///   - interruptedAfter: After how many seconds a signal is sent, if at all.
  ///   - interruptedAtOutput: Whether a signal is sent when the first data is printed.
  ///   - signal: That signal; it is Ctrl-C's by default.
  /// - Returns: The exit status, and all that was written to the two outputs.
  /// - Throws: When there is no binary.
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

  /// After this many seconds a run is ended: a test fails then, and does not hang.
  private static let longestRun = 600.0

  /// The binary: test bundles stand in the folder of the products.
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

/// A folder that is there for one test.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "tensorio-\(UUID())").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// The names in it, hidden ones too.
  var contents: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// The folder of the models, from ``CommandRunner/packageFolder``.
let modelsFolder = "Tests/Fixtures/Models"

/// Whether the LiteRT library can be opened; tests that load models need it.
let hasLiteRT: Bool = {
  let model = CommandRunner.packageFolder.appending(path: modelsFolder + "/add.tflite").path
  return (try? LiteRTBackend().liteRTModel(at: model)) != nil
}()
