// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CLiteRT
import CSystemCalls
import Synchronization
import TensorIO

/// A model compiled for the CPU, with its memory and the values of its variables.
final class LiteRTCompiledModel {
  let handle: LiteRtCompiledModel

  private let stop: StopRequest
  /// The compiled model refers to the model and must be destroyed before it.
  private let file: LiteRTModelFile
  var functions: LiteRtFunctions { file.library.functions }

  /// Compiles a model, and if kernels are given, uses them and makes a profiler.
  init(
    _ file: LiteRTModelFile, options: SessionOptions,
    profiling kernels: OperatorTimes.Kernels? = nil
  ) throws {
    self.file = file
    stop = StopRequest(always: options.cancellation)
    // The built-in kernels use the weights in the file's order.
    if let weights = file.weights, kernels != .builtIn {
      handle = try weights.whileCompiling { try Self.compile(file, options, kernels, weights: $0) }
    } else {
      handle = try Self.compile(file, options, kernels)
    }
    if options.cancellation != nil { heedStops() }
  }

  deinit { functions.DestroyCompiledModel(handle) }

  /// Returns a handle to the compiled model, which the caller destroys.
  ///
  /// The weights are XNNPACK's options for them.
  private static func compile(
    _ file: LiteRTModelFile, _ options: SessionOptions, _ kernels: OperatorTimes.Kernels?,
    weights: String = ""
  ) throws -> LiteRtCompiledModel {
    let functions = file.library.functions
    let compileOptions = try makeOptions(
      functions, threads: options.threads, weights: weights, profiling: kernels,
      isOnGPU: file.webGPU != nil)
    defer { functions.DestroyOptions(compileOptions) }
    var handle: LiteRtCompiledModel?
    func compile() -> LiteRtStatus {
      functions.CreateCompiledModel(file.environment, file.handle, compileOptions, &handle)
    }
    var status = LiteRT.ok
    var reason = ""
    if file.webGPU != nil {
      (status, reason) = StandardErrorFilter.whileUsingGPU(compile)
    } else {
      // The built-in kernels need no delegate.
      status =
        kernels == .builtIn ? compile() : StandardErrorFilter.whileCreatingFirstDelegate(compile)
    }
    guard status == LiteRT.ok, let handle else {
      throw TensorIOError(
        .unsupportedModel,
        "LiteRT cannot compile the model\(file.webGPU == nil ? "" : " for the GPU"): "
          + "\(LiteRT.name(of: status))\(reason).")
    }
    do {
      try file.webGPU?.check(handle)
    } catch {
      functions.DestroyCompiledModel(handle)
      throw error
    }
    return handle
  }

  // MARK: - Options

  private static func makeOptions(
    _ functions: LiteRtFunctions, threads: Int, weights: String,
    profiling kernels: OperatorTimes.Kernels?,
    isOnGPU: Bool
  ) throws -> LiteRtOptions {
    var options: LiteRtOptions?
    var status = functions.CreateOptions(&options)
    guard status == LiteRT.ok, let options else { throw optionsFault(status) }
    status = functions.SetOptionsHardwareAccelerators(
      options, isOnGPU ? LiteRT.onlyGPU : LiteRT.onlyCPU)
    guard status == LiteRT.ok else { throw optionsFault(status) }
    var kernelOptions = "num_threads = \(max(threads, 1))\n"
    if kernels == .builtIn { kernelOptions += "kernel_mode = \"builtin\"\n" }
    kernelOptions += weights
    try add("xnnpack", kernelOptions, to: options, functions)
    // 32 bits, because the values are compared with the CPU's.
    if isOnGPU { try add("gpu_options", "precision = 2\n", to: options, functions) }
    // Mode 2 makes the runtime keep its error messages, which our errors include.
    var runtimeOptions = "error_reporter_mode = 2\n"
    if kernels != nil { runtimeOptions += "enable_profiling = true\n" }
    try add("runtime_options_string", runtimeOptions, to: options, functions)
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

  // MARK: - Ending runs

  /// Whether the current run was asked to end.
  var isStopped: Bool { stop.isRequested }

  /// Calls a closure that runs the model, and has the runtime end the run if a token is cancelled.
  func whileHeeding<Result>(_ token: CancellationToken, _ body: () throws -> Result) rethrows
    -> Result
  {
    // The runtime asks after each operation, so a model that nobody stops has no such function.
    heedStops()
    stop.current = token
    defer { stop.current = nil }
    return try body()
  }

  private func heedStops() {
    guard !stop.isHeeded else { return }
    stop.isHeeded = true
    let context = Unmanaged.passUnretained(stop).toOpaque()
    _ = functions.SetCompiledModelCancellationFunction(handle, context) { context in
      guard let context else { return false }
      return Unmanaged<StopRequest>.fromOpaque(context).takeUnretainedValue().isRequested
    }
  }

  /// What may end a run.
  ///
  /// The thread that runs the model is the only one that uses it.
  private final class StopRequest {
    /// Ends every run.
    let always: CancellationToken?
    /// Ends the current run.
    var current: CancellationToken?
    /// Whether the runtime asks.
    var isHeeded = false

    init(always: CancellationToken?) { self.always = always }

    var isRequested: Bool { current?.isCancelled == true || always?.isCancelled == true }
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
