// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A loaded model whose weights can be changed, saved and brought back.
///
/// All its sessions share the weights: what a training session learns, the others use.
public protocol TrainableLoadedModel: LoadedModel {
  /// Checks that the model has what a training step runs, before layers are looked for.
  ///
  /// The default checks nothing: ``makeTrainingSession(_:operations:options:)`` does.
  ///
  /// - Parameter operations: The names in model.json's `train.ops`.
  /// - Throws: ``TensorIOError`` when there is no such operation.
  func checkOperations(_ operations: [String]) throws

  /// Checks, before a long training, that ``exportModel(to:)`` can write the model.
  ///
  /// The default checks nothing.
  ///
  /// - Throws: ``TensorIOError`` when the runtime cannot write models of this kind.
  func checkExport() throws

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

extension TrainableLoadedModel {
  public func checkOperations(_ operations: [String]) throws {}
  public func checkExport() throws {}
}
