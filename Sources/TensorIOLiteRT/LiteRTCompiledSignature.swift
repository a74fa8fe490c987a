// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CLiteRT
import TensorIO

/// One signature of a compiled model, with the current shapes of its tensors.
struct LiteRTCompiledSignature {
  let compiled: LiteRTCompiledModel
  let index: Int
  let key: String

  private var handle: LiteRtCompiledModel { compiled.handle }
  private var functions: LiteRtFunctions { compiled.functions }

  func inputShape(at input: Int) throws -> [Int] {
    var layout = LiteRtLayout()
    let status = functions.GetCompiledModelInputTensorLayout(handle, index, input, &layout)
    guard status == LiteRT.ok else { throw prepareError(status) }
    return layout.shape
  }

  /// Computes the outputs' shapes from the inputs' shapes.
  func outputShapes(count: Int) throws -> [[Int]] {
    var layouts = [LiteRtLayout](repeating: LiteRtLayout(), count: count)
    let status = functions.GetCompiledModelOutputTensorLayouts(handle, index, count, &layouts, true)
    guard status == LiteRT.ok else { throw prepareError(status) }
    return layouts.map(\.shape)
  }

  func resizeInputs(to shapes: [[Int]], names: [String]) throws {
    for (input, shape) in shapes.enumerated() {
      // LiteRT refuses to resize an input to a scalar, even when it is already one.
      if try shape.isEmpty && inputShape(at: input).isEmpty { continue }
      let lengths = shape.map { Int32(clamping: $0) }
      let status = functions.CompiledModelResizeInputTensorNonStrict(
        handle, index, input, lengths, lengths.count)
      guard status == LiteRT.ok else {
        throw TensorIOError(
          .unsupportedModel,
          "The input '\(names[input])' cannot have the shape \(shape): "
            + "\(LiteRT.name(of: status)).")
      }
    }
  }

  func requiredInputBytes(at input: Int) -> Int {
    requiredBytes(input, functions.GetCompiledModelInputBufferRequirements)
  }

  func requiredOutputBytes(at output: Int) -> Int {
    requiredBytes(output, functions.GetCompiledModelOutputBufferRequirements)
  }

  private typealias Requirements =
    @convention(c) (
      LiteRtCompiledModel?, Int, Int, UnsafeMutablePointer<LiteRtTensorBufferRequirements?>?
    ) -> LiteRtStatus

  /// Returns the number of bytes that LiteRT requires for a tensor.
  ///
  /// The number is 0 when LiteRT doesn't report it; callers then use the tensor's own size.
  private func requiredBytes(_ tensor: Int, _ function: Requirements) -> Int {
    var requirements: LiteRtTensorBufferRequirements?
    var byteCount = 0
    guard function(handle, index, tensor, &requirements) == LiteRT.ok, let requirements,
      functions.GetTensorBufferRequirementsBufferSize(requirements, &byteCount) == LiteRT.ok
    else { return 0 }
    return byteCount
  }

  // MARK: - Errors

  func runError(_ status: LiteRtStatus, open outputs: [String]) -> TensorIOError {
    if compiled.isStopped {
      compiled.clearErrors()
      return TensorIOError(.cancelled, "The run was cancelled.")
    }
    let text = compiled.takeMessages() ?? LiteRT.name(of: status)
    guard status == LiteRT.runtimeFailure, !outputs.isEmpty else {
      return TensorIOError(.inferenceFailed, "LiteRT could not run the model: \(text)")
    }
    return TensorIOError(
      .inferenceFailed,
      "LiteRT could not run the model. The file doesn't state the full shape of "
        + "\(LiteRTModel.list(outputs)), and LiteRT cannot allocate memory for an output whose "
        + "shape is known only after a run. LiteRT says: \(text)")
  }

  private func prepareError(_ status: LiteRtStatus) -> TensorIOError {
    let text = compiled.takeMessages() ?? LiteRT.name(of: status)
    if text.contains(LiteRTModel.edgeTPUOperation) { return LiteRTModel.edgeTPUError }
    guard text.contains("Select TensorFlow op") else {
      return TensorIOError(.unsupportedModel, "LiteRT cannot run this model: \(text)")
    }
    return TensorIOError(
      .unsupportedModel,
      "\(key.isEmpty ? "The model" : "The signature '\(key)'") needs TensorFlow operations "
        + "(SELECT_TF_OPS), which LiteRT doesn't have. Convert it with built-in operations only. "
        + "LiteRT says: \(text)")
  }
}
