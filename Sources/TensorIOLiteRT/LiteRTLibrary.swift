// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CLiteRT
import NativeLibrary
import TensorIO

/// LiteRT's library: its functions, and the environment that a backend's models share.
///
/// `@unchecked Sendable` because the functions never change, and the environment is only read once
/// it has been created.
final class LiteRTLibrary: @unchecked Sendable {
  private let library: NativeLibrary
  let functions: LiteRtFunctions
  let environment: LiteRtEnvironment

  /// The file that was opened.
  var path: String { library.path }

  /// Opens the library.
  init() throws(TensorIOError) {
    let library = try NativeLibrary(
      "TensorFlow Lite's library libLiteRt", fileNames: ["libLiteRt.so", "libLiteRt.dylib"],
      overriddenBy: "TENSORIO_LITERT_LIBRARY", pythonPackage: "ai_edge_litert",
      installedBy: "run 'pip install ai-edge-litert==\(LiteRTBackend.libraryVersion)' and set "
        + "TENSORIO_LITERT_LIBRARY to the path of ai_edge_litert/libLiteRt.so in the folder "
        + "that 'pip show ai-edge-litert' prints as its location; or run 'make setup' in "
        + "TensorIO's source folder")
    var functions = LiteRtFunctions()
    try library.load(
      &functions, named: LiteRtFunctionName, of: "LiteRT", LiteRTBackend.libraryVersion)
    LiteRtGuardAgainstExceptions(&functions)
    self.library = library
    self.functions = functions
    environment = try Self.makeEnvironment(functions)
  }

  deinit { functions.DestroyEnvironment(environment) }

  /// Looks up the profiler's functions, which only measurements of operators need.
  ///
  /// - Throws: `TensorIOError` with the code `missingLibrary` if the library lacks them.
  func profilerFunctions() throws(TensorIOError) -> LiteRtProfilerFunctions {
    var functions = LiteRtProfilerFunctions()
    try library.load(
      &functions, named: LiteRtProfilerFunctionName, of: "LiteRT", LiteRTBackend.libraryVersion)
    LiteRtGuardProfilerAgainstExceptions(&functions)
    return functions
  }

  private static func makeEnvironment(
    _ functions: LiteRtFunctions
  ) throws(TensorIOError) -> LiteRtEnvironment {
    // Register only the CPU, which saves attempts to open GPU libraries. Keep the log silent,
    // because our errors report what goes wrong.
    let options = [
      LiteRtEnvironmentOption(integer: Int64(LiteRT.onlyCPU), tag: LiteRT.acceleratorsTag),
      LiteRtEnvironmentOption(integer: Int64(LiteRT.silent), tag: LiteRT.logSeverityTag),
    ]
    var environment: LiteRtEnvironment?
    let status = functions.CreateEnvironment(Int32(options.count), options, &environment)
    guard status == LiteRT.ok, let environment else {
      throw TensorIOError(.internalFault, "LiteRT could not create its environment (\(status)).")
    }
    return environment
  }
}

extension LiteRtEnvironmentOption {
  fileprivate init(integer: Int64, tag: Int32) {
    self.init()
    self.tag = tag
    value.type = LiteRT.integerValue
    value.value.integer = integer
  }
}
