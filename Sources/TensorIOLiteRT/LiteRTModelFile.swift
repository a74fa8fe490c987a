// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CLiteRT
import TensorIO

/// A .tflite file in memory, and LiteRT's handle to it.
final class LiteRTModelFile {
  let path: String
  let library: LiteRTLibrary
  let handle: LiteRtModel
  /// What runs the model, or nil for the CPU.
  let webGPU: LiteRTWebGPU?
  /// The packed weights that sessions share, or nil if each session has its own.
  let weights: PackedWeights?
  /// The file's content.
  ///
  /// The model refers to it and must be destroyed before it.
  let memory: AlignedMemory
  /// Whether the model has variables, which keep their values between runs.
  let hasVariables: Bool
  /// The operations of all graphs that are identified only by their names, in the file's order.
  let customOperations: [ModelStructure.Operation]
  /// The bytes of the tensors that runs fill, for each number of axes of open length.
  private let bytesOfTensors: [Int: Int]

  /// The environment that the model belongs to.
  var environment: LiteRtEnvironment { webGPU?.environment ?? library.environment }

  init(
    path: String, library: LiteRTLibrary, limits: LiteRTLimits, accelerator: Accelerator,
    weightCache: LiteRTWeightCache? = nil
  ) throws {
    let memory = try AlignedMemory(contentsOf: path)
    let file = UnsafeRawBufferPointer(memory.bytes)
    let structure = try ModelRules.check(file, path: path, tensorByteLimit: limits.tensorBytes)
    try Self.refuseBlockWiseQuantization(structure, path: path)
    let webGPU = accelerator == .gpu ? try library.webGPU() : nil
    var handle: LiteRtModel?
    func make() -> LiteRtStatus {
      library.functions.CreateModelFromBuffer(
        webGPU?.environment ?? library.environment, memory.start, memory.byteCount, &handle)
    }
    var status = make()
    var hasVariableTensors = false
    if status == LiteRT.unsupported {
      let parts = try RecurrentParts(of: file, path: path)
      hasVariableTensors = parts.hasVariables
      if !parts.isEmpty { status = parts.hidden(in: memory.bytes, during: make) }
    }
    guard status == LiteRT.ok, let handle else {
      throw Self.loadError(status, path: path, byteCount: memory.byteCount)
    }
    self.path = path
    self.library = library
    self.memory = memory
    self.handle = handle
    self.webGPU = webGPU
    weights =
      webGPU == nil
      ? weightCache.flatMap { PackedWeights(of: file, in: $0, runtime: library.path) } : nil
    let operations = structure.graphs.flatMap(\.operations)
    hasVariables = hasVariableTensors || operations.contains { $0.code?.createsVariable == true }
    customOperations = operations.filter { $0.code?.customName != nil }
    bytesOfTensors = structure.graphs.flatMap(\.tensors).reduce(into: [:]) { sums, tensor in
      let isConstant = structure.buffers[tensor.buffer] != nil
      let open = tensor.shapeSignature.count { $0 == -1 }
      if !isConstant { sums[open, default: 0] += tensor.byteCount ?? 0 }
    }
  }

  /// Returns the bytes of all tensors that runs fill, if each axis of open length has the length.
  func tensorBytes(items: Int) -> Int {
    bytesOfTensors.reduce(0) { sum, entry in
      let bytes = (0..<entry.key).reduce(Double(entry.value)) { product, _ in
        product * Double(items)
      }
      return Int(clamping: Int64(min(Double(sum) + bytes, 1e18)))
    }
  }

  deinit { library.functions.DestroyModel(handle) }

  /// Rejects models that compute with block-wise quantized tensors.
  ///
  /// The runtime crashes on some of them, and computes zeros for others without an error.
  private static func refuseBlockWiseQuantization(
    _ structure: ModelStructure, path: String
  ) throws {
    for graph in structure.graphs {
      let used = graph.operations.lazy.flatMap { $0.inputs + $0.outputs }.filter { $0 != -1 }
      guard used.contains(where: { graph.tensors[Int($0)].quantization.isBlockWise })
      else { continue }
      throw TensorIOError(
        .unsupportedModel,
        "'\(path)' has tensors with block-wise quantization, which LiteRT 2.3 doesn't run "
          + "reliably. Convert the model with per-channel quantization.")
    }
  }

  private static func loadError(
    _ status: LiteRtStatus, path: String, byteCount: Int
  ) -> TensorIOError {
    if status == LiteRT.unsupported {
      return TensorIOError(
        .unsupportedModel,
        "LiteRT \(LiteRTBackend.libraryVersion) doesn't support the model '\(path)' and doesn't "
          + "report the reason. Convert the model again with the current TensorFlow Lite "
          + "converter.")
    }
    return TensorIOError(
      .invalidModel,
      "'\(path)' is not a valid TensorFlow Lite model (\(byteCount) bytes): LiteRT reports "
        + "'\(LiteRT.name(of: status))'. Export or download the model again.")
  }
}
