// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

internal import CLiteRT
internal import TensorIO

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// A model compiled for the CPU, for one signature.
final class LiteRTCompiledModel {
  let handle: LiteRtCompiledModel

  private let model: LiteRTModel
  private let signature: Int
  private let cancellation: CancellationToken?
  private var functions: LiteRtFunctions { model.library.functions }

  init(_ model: LiteRTModel, signature: Int, options: SessionOptions) throws {
    self.model = model
    self.signature = signature
    cancellation = options.cancellation
    let functions = model.library.functions
    let compileOptions = try Self.makeOptions(functions, threads: options.threads)
    defer { functions.DestroyOptions(compileOptions) }
    var handle: LiteRtCompiledModel?
    let status = StandardErrorFilter.whileCreatingFirstDelegate {
      functions.CreateCompiledModel(
        model.library.environment, model.handle, compileOptions, &handle)
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
    // Mode 2 keeps the runtime's own error texts, for our errors.
    try add("runtime_options_string", "error_reporter_mode = 2\n", to: options, functions)
    return options
  }

  /// Adds a group of options; LiteRT takes over the text and frees it.
  private static func add(
    _ name: String, _ text: String, to options: LiteRtOptions, _ functions: LiteRtFunctions
  ) throws {
    var group: LiteRtOpaqueOptions?
    var status = functions.CreateOpaqueOptions(name, strdup(text), { free($0) }, &group)
    if status == LiteRT.ok { status = functions.AddOpaqueOptions(options, group) }
    guard status == LiteRT.ok else { throw optionsFault(status) }
  }

  private static func optionsFault(_ status: LiteRtStatus) -> TensorIOError {
    TensorIOError(.internalFault, "LiteRT refused an option: \(LiteRT.name(of: status)).")
  }

  private func heed(_ token: CancellationToken) {
    let context = Unmanaged.passUnretained(token).toOpaque()
    _ = functions.SetCompiledModelCancellationFunction(handle, context) { context in
      guard let context else { return false }
      return Unmanaged<CancellationToken>.fromOpaque(context).takeUnretainedValue().isCancelled
    }
  }

  // MARK: - Shapes

  func inputShape(at index: Int) throws -> [Int] {
    var layout = LiteRtLayout()
    let status = functions.GetCompiledModelInputTensorLayout(handle, signature, index, &layout)
    guard status == LiteRT.ok else { throw prepareError(status) }
    return layout.shape
  }

  /// Computes the outputs' shapes from the inputs'.
  func outputShapes(count: Int) throws -> [[Int]] {
    var layouts = [LiteRtLayout](repeating: LiteRtLayout(), count: count)
    let status = functions.GetCompiledModelOutputTensorLayouts(
      handle, signature, count, &layouts, true)
    guard status == LiteRT.ok else { throw prepareError(status) }
    return layouts.map(\.shape)
  }

  func resizeInputs(to shapes: [[Int]], names: [String]) throws {
    for (index, shape) in shapes.enumerated() {
      // LiteRT refuses to resize to a scalar, even what is one.
      if try shape.isEmpty && inputShape(at: index).isEmpty { continue }
      let lengths = shape.map { Int32(clamping: $0) }
      let status = functions.CompiledModelResizeInputTensorNonStrict(
        handle, signature, index, lengths, lengths.count)
      guard status == LiteRT.ok else {
        throw TensorIOError(
          .unsupportedModel,
          "The input '\(names[index])' cannot have the shape \(shape): "
            + "\(LiteRT.name(of: status)).")
      }
    }
  }

  func requiredInputBytes(at index: Int) -> Int {
    requiredBytes(index, functions.GetCompiledModelInputBufferRequirements)
  }

  func requiredOutputBytes(at index: Int) -> Int {
    requiredBytes(index, functions.GetCompiledModelOutputBufferRequirements)
  }

  private typealias Requirements =
    @convention(c) (
      LiteRtCompiledModel?, Int, Int, UnsafeMutablePointer<LiteRtTensorBufferRequirements?>?
    ) -> LiteRtStatus

  /// What LiteRT asks for; 0 when it does not say, and the tensor's own size counts.
  private func requiredBytes(_ index: Int, _ function: Requirements) -> Int {
    var requirements: LiteRtTensorBufferRequirements?
    var byteCount = 0
    guard function(handle, signature, index, &requirements) == LiteRT.ok, let requirements,
      functions.GetTensorBufferRequirementsBufferSize(requirements, &byteCount) == LiteRT.ok
    else { return 0 }
    return byteCount
  }

  // MARK: - Errors

  func clearErrors() { _ = functions.CompiledModelClearErrors(handle) }

  func runError(_ status: LiteRtStatus, open outputs: [String]) -> TensorIOError {
    if cancellation?.isCancelled == true {
      return TensorIOError(.cancelled, "The run was cancelled.")
    }
    let text = messages ?? LiteRT.name(of: status)
    guard status == LiteRT.runtimeFailure, !outputs.isEmpty else {
      return TensorIOError(.inferenceFailed, "LiteRT could not run the model: \(text)")
    }
    let names = outputs.map { "'\($0)'" }.joined(separator: ", ")
    return TensorIOError(
      .inferenceFailed,
      "LiteRT could not run the model. Its file leaves the shape of \(names) open; a shape that only "
        + "the run tells is one that LiteRT cannot provide memory for. It says: \(text)")
  }

  private func prepareError(_ status: LiteRtStatus) -> TensorIOError {
    TensorIOError(
      .unsupportedModel,
      "LiteRT cannot run this model: \(messages ?? LiteRT.name(of: status))")
  }

  /// The runtime's own words, on one line.
  private var messages: String? {
    var text: UnsafeMutablePointer<CChar>?
    guard functions.CompiledModelGetErrorMessages(handle, &text) == LiteRT.ok, let text
    else { return nil }
    defer { free(text) }
    clearErrors()
    let lines = String(cString: text).split(separator: "\n")
    return lines.isEmpty ? nil : lines.joined(separator: " ")
  }
}
