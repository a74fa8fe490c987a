// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A loaded model whose weights can be trained, saved and restored.
///
/// All its sessions share the weights, so every session uses what a training session learns.
public protocol TrainableLoadedModel: LoadedModel {
  /// Checks that the model has the operations of a training step, before its layers are looked up.
  ///
  /// The default implementation checks nothing, because
  /// ``makeTrainingSession(_:operations:options:)`` does.
  ///
  /// - Parameter operations: The names in model.json's `train.ops`.
  /// - Throws: ``TensorIOError`` when the model does not have one of the operations.
  func checkOperations(_ operations: [String]) throws

  /// Checks, before a long training, that ``exportModel(to:)`` can write the model.
  ///
  /// The default implementation checks nothing.
  ///
  /// - Throws: ``TensorIOError`` when the runtime cannot write models of this kind.
  func checkExport() throws

  /// Makes a session whose runs are training steps.
  ///
  /// Each run executes the operations first, and then computes the outputs with the updated
  /// weights.
  ///
  /// - Parameters:
  ///   - signature: The result of ``LoadedModel/describe(_:in:)``.
  ///   - operations: The names in model.json's `train.ops`.
  ///   - options: How the session runs.
  /// - Returns: A session with its own memory.
  /// - Throws: ``TensorIOError`` when the model does not have one of the operations.
  func makeTrainingSession(
    _ signature: SignatureDescription, operations: [String], options: SessionOptions
  ) throws -> any Session

  /// Writes the weights into a folder, in the runtime's own format, as files named `checkpoint`.
  func exportCheckpoint(to folder: String) throws

  /// Reads the weights that ``exportCheckpoint(to:)`` wrote.
  func restoreCheckpoint(from folder: String) throws

  /// Writes the model with its current weights, for inference.
  ///
  /// - Parameter path: The file or folder to create.
  /// - Throws: ``TensorIOError`` when it cannot be written.
  func exportModel(to path: String) throws

  /// Finds the inputs that the outputs depend on.
  ///
  /// - Parameters:
  ///   - inputs: Names of inputs.
  ///   - outputs: Names of outputs.
  /// - Returns: The inputs that at least one of the outputs needs, in order.
  func inputs(_ inputs: [String], neededFor outputs: [String]) -> [String]
}

extension TrainableLoadedModel {
  public func checkOperations(_ operations: [String]) throws {}
  public func checkExport() throws {}
}
