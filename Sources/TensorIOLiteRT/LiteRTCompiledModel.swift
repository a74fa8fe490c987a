// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CLiteRT
import CSystemCalls
import TensorIO

/// A model compiled for the CPU, with its memory and the values of its variables.
final class LiteRTCompiledModel {
  let handle: LiteRtCompiledModel

  let cancellation: CancellationToken?
  /// The compiled model refers to the model and must be destroyed before it.
  private let file: LiteRTModelFile
  var functions: LiteRtFunctions { file.library.functions }

  init(_ file: LiteRTModelFile, options: SessionOptions) throws {
    self.file = file
    cancellation = options.cancellation
    let functions = file.library.functions
    let compileOptions = try Self.makeOptions(functions, threads: options.threads)
    defer { functions.DestroyOptions(compileOptions) }
    var handle: LiteRtCompiledModel?
    let status = StandardErrorFilter.whileCreatingFirstDelegate {
      functions.CreateCompiledModel(
        file.library.environment, file.handle, compileOptions, &handle)
    }
    guard status == LiteRT.ok, let handle else {
      throw TensorIOError(
        .unsupportedModel, "LiteRT cannot compile the model: \(LiteRT.name(of: status)).")
    }
    self.handle = handle
    if let cancellation { heed(cancellation) }
  }

  deinit { functions.DestroyCompiledModel(handle) }

  // MARK: - Options

  private static func makeOptions(
    _ functions: LiteRtFunctions, threads: Int
  ) throws -> LiteRtOptions {
    var options: LiteRtOptions?
    var status = functions.CreateOptions(&options)
    guard status == LiteRT.ok, let options else { throw optionsFault(status) }
    status = functions.SetOptionsHardwareAccelerators(options, LiteRT.onlyCPU)
    guard status == LiteRT.ok else { throw optionsFault(status) }
    try add("xnnpack", "num_threads = \(max(threads, 1))\n", to: options, functions)
    // Mode 2 makes the runtime keep its error messages, which our errors include.
    try add("runtime_options_string", "error_reporter_mode = 2\n", to: options, functions)
    return options
  }

  /// Adds a group of options.
  ///
  /// LiteRT takes ownership of the text and frees it.
  private static func add(
    _ name: String, _ text: String, to options: LiteRtOptions, _ functions: LiteRtFunctions
  ) throws {
    var group: LiteRtOpaqueOptions?
    var status = functions.CreateOpaqueOptions(name, strdup(text), { free($0) }, &group)
    if status == LiteRT.ok { status = functions.AddOpaqueOptions(options, group) }
    guard status == LiteRT.ok else { throw optionsFault(status) }
  }

  private static func optionsFault(_ status: LiteRtStatus) -> TensorIOError {
    TensorIOError(.internalFault, "LiteRT rejected an option: \(LiteRT.name(of: status)).")
  }

  private func heed(_ token: CancellationToken) {
    let context = Unmanaged.passUnretained(token).toOpaque()
    _ = functions.SetCompiledModelCancellationFunction(handle, context) { context in
      guard let context else { return false }
      return Unmanaged<CancellationToken>.fromOpaque(context).takeUnretainedValue().isCancelled
    }
  }

  // MARK: - Errors

  func clearErrors() { _ = functions.CompiledModelClearErrors(handle) }

  /// Returns the runtime's error messages on one line, and clears them.
  func takeMessages() -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard functions.CompiledModelGetErrorMessages(handle, &text) == LiteRT.ok, let text
    else { return nil }
    defer { free(text) }
    clearErrors()
    let lines = String(cString: text).split(separator: "\n")
    return lines.isEmpty ? nil : lines.joined(separator: " ")
  }
}
