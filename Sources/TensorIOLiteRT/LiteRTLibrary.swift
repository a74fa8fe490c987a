// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CLiteRT
import CSystemCalls
import NativeLibrary
import Synchronization
import TensorIO

/// LiteRT's library: its functions, and the environment that a backend's models share.
///
/// `@unchecked Sendable` because the functions never change, and the environment is only read once
/// it has been created.
final class LiteRTLibrary: @unchecked Sendable {
  private let library: NativeLibrary
  let functions: LiteRtFunctions
  let environment: LiteRtEnvironment
  private let foundWebGPU = Mutex<LiteRTWebGPU?>(nil)

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
    // Register only the CPU, which saves attempts to open GPU libraries.
    environment = try Self.makeEnvironment(functions, accelerators: LiteRT.onlyCPU)
  }

  deinit {
    functions.DestroyEnvironment(environment)
    foundWebGPU.withLock { $0.map { functions.DestroyEnvironment($0.environment) } }
  }

  /// The accelerator that runs models on the GPU, which is opened at the first call.
  ///
  /// - Throws: `TensorIOError` with the code `missingLibrary`.
  func webGPU() throws -> LiteRTWebGPU { try foundWebGPU.value { try LiteRTWebGPU(for: self) } }

  /// Looks up a function that only few models need.
  func function<Function>(_ name: String) throws(TensorIOError) -> Function {
    try library.function(name)
  }

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

  /// Makes an environment with the accelerators of a folder.
  func makeEnvironment(
    accelerators: Int32, folder: String
  ) throws(TensorIOError) -> LiteRtEnvironment {
    try Self.makeEnvironment(functions, accelerators: accelerators, folder: folder)
  }

  private static func makeEnvironment(
    _ functions: LiteRtFunctions, accelerators: Int32, folder: String? = nil
  ) throws(TensorIOError) -> LiteRtEnvironment {
    // Keep the log silent, because our errors report what goes wrong.
    var options = [
      LiteRtEnvironmentOption(integer: Int64(accelerators), tag: LiteRT.acceleratorsTag),
      LiteRtEnvironmentOption(integer: Int64(LiteRT.silent), tag: LiteRT.logSeverityTag),
    ]
    // The environment may read the path at any time, so it is never freed.
    if let folder {
      options.append(
        LiteRtEnvironmentOption(string: strdup(folder), tag: LiteRT.acceleratorFolderTag))
    }
    var environment: LiteRtEnvironment?
    func create() -> LiteRtStatus {
      functions.CreateEnvironment(Int32(options.count), options, &environment)
    }
    let status =
      folder == nil ? create() : StandardErrorFilter.whileUsingGPU(create).status
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

  fileprivate init(string: UnsafePointer<CChar>?, tag: Int32) {
    self.init()
    self.tag = tag
    value.type = LiteRT.stringValue
    value.value.string = string
  }
}
