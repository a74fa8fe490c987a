// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CLiteRT
import Synchronization
package import TensorIO

/// A TensorFlow Lite model in memory, shared by its sessions.
///
/// `@unchecked Sendable` because LiteRT only reads a model once it has been created, and does so
/// from any thread.
package final class LiteRTModel: LoadedModel, @unchecked Sendable {
  /// The model's signatures.
  ///
  /// A model without signatures has a single one with an empty key.
  package let signatures: [SignatureDescription]

  /// Whether a run changes the results of later runs in the same session.
  package var keepsState: Bool { file.hasVariables }

  let file: LiteRTModelFile
  let library: LiteRTLibrary
  let graph: LiteRTGraph
  /// Whether all sessions share their variables, because the model was loaded for training or with
  /// other weights than the file's.
  let sharesVariables: Bool
  /// Whether the model was loaded for training.
  let isTrained: Bool
  /// The file with the weights that the model begins with; nil for those of its own file.
  private let weights: String?
  /// Measures the operators of all runs.
  private let recorder: OperatorRecorder?
  /// The compiled model that sessions share.
  ///
  /// The first session of a model that is trained creates it.
  private let shared = Mutex<LiteRTSharedModel?>(nil)

  init(
    path: String, library: LiteRTLibrary, limits: LiteRTLimits, isTrained: Bool = false,
    recorder: OperatorRecorder? = nil, accelerator: Accelerator = .cpu,
    weightCache: LiteRTWeightCache? = nil,
    weights: String? = nil
  ) throws {
    file = try LiteRTModelFile(
      path: path, library: library, limits: limits, accelerator: accelerator,
      weightCache: weightCache)
    self.library = library
    self.isTrained = isTrained
    self.weights = weights
    sharesVariables = isTrained || weights != nil
    self.recorder = recorder
    graph = LiteRTGraph(file)
    signatures = try graph.signatures()
  }

  package func makeSession(
    _ signature: SignatureDescription, options: SessionOptions
  ) throws -> any Session {
    let index = try index(of: signature.key)
    if let recorder, !isTrained {
      guard weights == nil else {
        throw TensorIOError(
          .unsupportedModel,
          "The operators of a model can't be measured with other weights than its own, which model.json "
            + "names as \"weights\".")
      }
      return try RecordedSession(
        model: self, signature: index, options: options, recorder: recorder)
    }
    guard sharesVariables else {
      return try LiteRTSession(model: self, signature: index, options: options)
    }
    return try LiteRTSharedSession(
      model: self, signature, running: [index], sharing: sharedModel(options))
  }

  /// Returns the index of a signature in ``signatures``.
  func index(of key: String) throws -> Int {
    guard let index = signatures.firstIndex(where: { $0.key == key }) else {
      throw TensorIOError(.invalidModel, "The model has no signature '\(key)'.")
    }
    return index
  }

  /// Returns the compiled model that all sessions of a trained model share.
  func sharedModel(_ options: SessionOptions) throws -> LiteRTSharedModel {
    try shared.value {
      let compiled = try LiteRTSharedModel(file, options: options)
      if let weights { try restore(weights, in: compiled) }
      return compiled
    }
  }

  // MARK: - Facts

  /// The size of the file in bytes.
  package var byteCount: Int { file.memory.byteCount }

  /// The descriptive metadata that the file contains, or nil when it doesn't have any.
  ///
  /// Each access reads it again. Damaged metadata isn't an error, because the model still runs;
  /// ``ModelMetadata/problems`` lists what could not be read.
  package var metadata: ModelMetadata? {
    withMetadata(named: "TFLITE_METADATA") {
      MetadataReader.read(Array($0), file: UnsafeRawBufferPointer(file.memory.bytes))
    }
  }

  /// The parameters that Silicon Labs' MLTK wrote into the file, or nil when it doesn't have any.
  ///
  /// As with ``metadata``, damaged ones aren't an error.
  package var parameters: ModelParameters? {
    withMetadata(named: ModelParameters.metadataName) { ModelParameters($0) }
  }

  private func withMetadata<Result>(
    named name: String, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result? {
    var start: UnsafeRawPointer?
    var count = 0
    let status = library.functions.GetModelMetadata(file.handle, name, &start, &count)
    guard status == LiteRT.ok, let start else { return nil }
    return withExtendedLifetime(file) { body(UnsafeRawBufferPointer(start: start, count: count)) }
  }

  /// Returns the first of the named files that the zip archive at the end of the model contains.
  ///
  /// - Returns: The file's name and bytes, or nil when there is no such file. The bytes are nil if
  ///   the file cannot be read.
  package func attachedFile(_ names: [String]) -> (name: String, bytes: [UInt8]?)? {
    withExtendedLifetime(file) {
      guard var archive = try? ZipArchive(UnsafeRawBufferPointer(file.memory.bytes)) else {
        return nil
      }
      for name in names {
        do throws(ZipError) {
          if let bytes = try archive.contents(of: name) { return (name, bytes) }
        } catch {
          return (name, nil)
        }
      }
      return nil
    }
  }

  /// The name of the operation that replaces everything that `edgetpu_compiler` compiled.
  static let edgeTPUOperation = "edgetpu-custom-op"

  /// The error for a model that runs only on an Edge TPU.
  static var edgeTPUError: TensorIOError {
    TensorIOError(
      .unsupportedModel,
      "The model is compiled for a Coral Edge TPU and cannot run on anything else. Use the file "
        + "that was the input of edgetpu_compiler; its name usually doesn't contain '_edgetpu'.")
  }

  /// Rejects a model that is compiled for an Edge TPU.
  ///
  /// - Throws: ``TensorIOError`` with the code ``TensorIOError/Code/unsupportedModel``.
  package func refuseEdgeTPU() throws {
    let isCompiled = file.customOperations.contains { $0.code?.customName == Self.edgeTPUOperation }
    if isCompiled { throw Self.edgeTPUError }
  }

  /// Returns the meaning of each output of a signature that ends in `TFLite_Detection_PostProcess`.
  ///
  /// - Parameter index: The signature's index in ``signatures``.
  /// - Returns: `boxes`, `classes`, `scores` or `count` for each output, or nil for a model that
  ///   doesn't end in that operation.
  /// - Throws: ``TensorIOError`` when the graph cannot be read.
  package func detectionOutputs(ofSignature index: Int) throws -> [String]? {
    let names = ["boxes", "classes", "scores", "count"]
    let last = file.customOperations.last {
      $0.code?.customName == "TFLite_Detection_PostProcess"
    }
    guard let last, last.outputs.count == names.count else { return nil }
    let outputs = try graph.tensors(ofSignature: index).outputs.compactMap { output -> String? in
      guard let number = graph.index(of: output.tensor) else { return nil }
      return last.outputs.firstIndex(of: Int32(clamping: number)).map { names[$0] }
    }
    return Set(outputs).count == names.count && outputs.count == names.count ? outputs : nil
  }
}
