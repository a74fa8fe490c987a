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
    let functions = file.library.functions
    let compileOptions = try Self.makeOptions(
      functions, threads: options.threads, profiling: kernels)
    defer { functions.DestroyOptions(compileOptions) }
    var handle: LiteRtCompiledModel?
    func compile() -> LiteRtStatus {
      functions.CreateCompiledModel(
        file.library.environment, file.handle, compileOptions, &handle)
    }
    // The built-in kernels need no delegate.
    let status =
      kernels == .builtIn ? compile() : StandardErrorFilter.whileCreatingFirstDelegate(compile)
    guard status == LiteRT.ok, let handle else {
      throw TensorIOError(
        .unsupportedModel, "LiteRT cannot compile the model: \(LiteRT.name(of: status)).")
    }
    self.handle = handle
    if options.cancellation != nil { heedStops() }
  }

  deinit { functions.DestroyCompiledModel(handle) }

  // MARK: - Options

  private static func makeOptions(
    _ functions: LiteRtFunctions, threads: Int, profiling kernels: OperatorTimes.Kernels?
  ) throws -> LiteRtOptions {
    var options: LiteRtOptions?
    var status = functions.CreateOptions(&options)
    guard status == LiteRT.ok, let options else { throw optionsFault(status) }
    status = functions.SetOptionsHardwareAccelerators(options, LiteRT.onlyCPU)
    guard status == LiteRT.ok else { throw optionsFault(status) }
    var kernelOptions = "num_threads = \(max(threads, 1))\n"
    if kernels == .builtIn { kernelOptions += "kernel_mode = \"builtin\"\n" }
    try add("xnnpack", kernelOptions, to: options, functions)
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

/// Removes one line from standard error, which LiteRT writes once per process at any log severity.
///
/// The line is `INFO: Created TensorFlow Lite XNNPACK delegate for CPU.` While the first model is
/// compiled, standard error is redirected to a file in memory. Everything else that any thread
/// writes in the meantime is passed on right afterwards.
enum StandardErrorFilter {
  private static let hasBegun = Atomic(false)
  private static let unwanted = "INFO: Created TensorFlow Lite XNNPACK delegate"

  static func whileCreatingFirstDelegate<Result>(_ body: () -> Result) -> Result {
    // Only the first compilation is filtered, so that others don't wait for it.
    guard !hasBegun.exchange(true, ordering: .acquiringAndReleasing), let capture = Capture()
    else { return body() }
    defer { capture.end() }
    return body()
  }

  /// Standard error's descriptor and the file that replaces it.
  private struct Capture {
    private let original: Int32
    private let file: Int32

    init?() {
      file = open_memory_file()
      guard file >= 0 else { return nil }
      original = copy_descriptor(STDERR_FILENO)
      guard original >= 0, dup2(file, STDERR_FILENO) >= 0 else {
        close(file)
        if original >= 0 { close(original) }
        return nil
      }
    }

    func end() {
      fflush(nil)
      dup2(original, STDERR_FILENO)
      close(original)
      let count = Int(lseek(file, 0, SEEK_END))
      var bytes = [UInt8](repeating: 0, count: max(count, 0))
      let got = pread(file, &bytes, bytes.count, 0)
      close(file)
      for line in bytes.prefix(max(got, 0)).split(separator: 0x0A)
      where !line.starts(with: unwanted.utf8) {
        let text = Array(line) + [0x0A]
        _ = write(STDERR_FILENO, text, text.count)
      }
    }
  }
}
