// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A loaded model whose weights can be changed, saved and brought back.
///
/// All its sessions share the weights: what a training session learns, the others use.
public protocol TrainableLoadedModel: LoadedModel {
  /// Makes a session whose runs are training steps: the operations run first, and the outputs are
  /// those of the model as it is after them.
  ///
  /// - Parameters:
  ///   - signature: What ``LoadedModel/describe(_:in:)`` gave.
  ///   - operations: The names in model.json's `train.ops`.
  ///   - options: How the session runs.
  /// - Returns: A session with memory of its own.
  /// - Throws: ``TensorIOError`` when there is no such operation.
  func makeTrainingSession(
    _ signature: SignatureDescription, operations: [String], options: SessionOptions
  ) throws -> any Session

  /// Writes the weights into a folder, in the runtime's own format: as files that are called
  /// `checkpoint`.
  func exportCheckpoint(to folder: String) throws

  /// Reads the weights that ``exportCheckpoint(to:)`` wrote.
  func restoreCheckpoint(from folder: String) throws

  /// Writes the model with its present weights, for inference.
  ///
  /// - Parameter path: The file or folder to make.
  /// - Throws: ``TensorIOError`` when it cannot be written.
  func exportModel(to path: String) throws

  /// Which inputs the outputs depend on.
  ///
  /// - Parameters:
  ///   - inputs: Names of inputs.
  ///   - outputs: Names of outputs.
  /// - Returns: Those of the inputs that at least one of the outputs needs, in order.
  func inputs(_ inputs: [String], neededFor outputs: [String]) -> [String]
}
