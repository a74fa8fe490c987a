// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The signature `weights` returns the weights, and `set_weights` takes tensors of the same names.
///
/// LiteRT has no operations that read or write files.
extension LiteRTModel {
  private static let reader = "weights"
  private static let writer = "set_weights"
  private static let checkpointName = "checkpoint.safetensors"

  /// Writes the weights into a folder, as `checkpoint.safetensors`.
  ///
  /// - Throws: ``TensorIOError`` when the model doesn't have both signatures, or the folder cannot
  ///   be written.
  package func exportCheckpoint(to folder: String) throws {
    try exportWeights(to: folder + "/" + Self.checkpointName)
  }

  /// Writes the weights as a safetensors file.
  ///
  /// - Throws: ``TensorIOError`` when the model doesn't have both signatures, or the file cannot be
  ///   written.
  package func exportWeights(to path: String) throws {
    let reading = try weightSignatures().reader
    let shared = try sharedModel(SessionOptions())
    let steps = try shared.makeSteps([reading], of: self)
    try shared.run(steps)
    var tensors: [Safetensors.Tensor] = []
    for (index, output) in signatures[reading].outputs.enumerated() {
      guard let dataType = output.dataType else { throw unsaved(output) }
      for step in steps {
        try step.withOutput(at: index) { bytes in
          tensors.append(
            Safetensors.Tensor(
              name: output.name, dataType: dataType, shape: step.outputShape(at: index),
              bytes: bytes.withUnsafeBytes { Data($0) }))
        }
      }
    }
    try Safetensors(tensors: tensors).write(to: path)
  }

  /// Reads the weights that ``exportCheckpoint(to:)`` wrote.
  ///
  /// - Throws: ``TensorIOError`` when there is no checkpoint, the file is damaged, or the weights
  ///   belong to another model. The model is then unchanged.
  package func restoreCheckpoint(from folder: String) throws {
    _ = try weightSignatures()
    let path = folder + "/" + Self.checkpointName
    guard FileSystem.isFile(path) else {
      throw TensorIOError(
        .fileNotFound,
        "'\(folder)' doesn't contain a checkpoint: the file '\(Self.checkpointName)' is missing.")
    }
    try restore(path, in: sharedModel(SessionOptions()))
  }

  /// Gives a compiled model the weights of a file.
  ///
  /// - Throws: ``TensorIOError`` when the file is damaged, or belongs to another model. The compiled
  ///   model is then unchanged.
  func restore(_ path: String, in shared: LiteRTSharedModel) throws {
    let writing = try weightSignatures().writer
    let saved = try Safetensors(parsing: FileSystem.read(path), path: path).tensors
    let tensors = try signatures[writing].inputs.map { input in
      try Self.tensor(for: input, among: saved, path: path)
    }
    for tensor in saved where !tensors.contains(where: { $0.name == tensor.name }) {
      throw TensorIOError(
        .invalidModel,
        "'\(path)' has weights named '\(tensor.name)', but '\(file.path)' doesn't. The checkpoint "
          + "belongs to another model.")
    }
    let steps = try shared.makeSteps([writing], of: self)
    try shared.resize(steps, to: steps.map { _ in tensors.map(\.shape) })
    for (index, tensor) in tensors.enumerated() {
      for step in steps {
        try step.withInput(at: index) { memory in
          memory.withUnsafeMutableBytes { $0.copyBytes(from: tensor.bytes) }
        }
      }
    }
    try shared.run(steps)
  }

  /// Returns the saved tensor for an input of `set_weights`.
  private static func tensor(
    for input: TensorDescription, among saved: [Safetensors.Tensor], path: String
  ) throws -> Safetensors.Tensor {
    guard let tensor = saved.first(where: { $0.name == input.name }) else {
      throw TensorIOError(
        .invalidModel,
        "'\(path)' has no weights named '\(input.name)', so the checkpoint belongs to another "
          + "model. It has these weights: \(list(saved.map(\.name))).")
    }
    let fits =
      tensor.shape.count == input.shape.count
      && zip(tensor.shape, input.shape).allSatisfy { $1 < 0 || $0 == $1 }
    guard fits, tensor.dataType == input.dataType else {
      throw TensorIOError(
        .invalidModel,
        "The weights '\(input.name)' are \(input.typeName) \(input.shape) in the model, but "
          + "\(tensor.dataType) \(tensor.shape) in '\(path)'. The checkpoint belongs to another "
          + "model.")
    }
    return tensor
  }

  /// Returns the indexes of the signatures that return and set the weights.
  func weightSignatures() throws -> (reader: Int, writer: Int) {
    guard let reader = signatures.firstIndex(where: { $0.key == Self.reader }),
      let writer = signatures.firstIndex(where: { $0.key == Self.writer })
    else {
      throw TensorIOError(
        .unsupportedModel,
        "The weights of '\(file.path)' can neither be exported nor restored. The model needs a "
          + "signature '\(Self.reader)' that returns every variable, and a signature "
          + "'\(Self.writer)' that assigns tensors of the same names. Its signatures: "
          + "\(signatureList).")
    }
    let given = signatures[reader].outputs
    let taken = signatures[writer].inputs
    guard !given.isEmpty, Set(given.map(\.name)) == Set(taken.map(\.name)) else {
      throw TensorIOError(
        .unsupportedModel,
        "The weights of '\(file.path)' can neither be exported nor restored: '\(Self.reader)' "
          + "returns \(Self.list(given.map(\.name), orElse: "nothing")), but "
          + "'\(Self.writer)' takes \(Self.list(taken.map(\.name), orElse: "nothing")). The "
          + "names must be the same.")
    }
    for tensor in given where tensor.dataType == nil || tensor.dataType == .string {
      throw unsaved(tensor)
    }
    return (reader, writer)
  }

  private func unsaved(_ tensor: TensorDescription) -> TensorIOError {
    TensorIOError(
      .unsupportedModel,
      "The weights '\(tensor.name)' of '\(file.path)' have the type \(tensor.typeName), which a "
        + "checkpoint cannot store.")
  }

  /// Returns names for a message.
  static func list(_ names: [String], orElse text: String = "none") -> String {
    names.isEmpty ? text : quotedList(names)
  }
}
