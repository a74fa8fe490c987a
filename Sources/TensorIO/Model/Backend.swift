// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import Synchronization

/// A runtime for models: TensorFlow Lite, TensorFlow, or one of your own.
public protocol Backend: Sendable {
  /// The name that model.json's `backend` uses.
  var name: String { get }

  /// Whether layers are matched to tensors by name instead of by order.
  var matchesLayersByName: Bool { get }

  /// Loads a model.
  ///
  /// - Parameters:
  ///   - path: The model file or folder.
  ///   - modes: What the model will be used for.
  ///   - options: How its sessions will run, for a runtime whose sessions share threads.
  /// - Returns: The model in memory, without any session yet.
  /// - Throws: ``TensorIOError`` when the library is missing or the model cannot be used.
  func loadModel(
    at path: String, for modes: ModelModes, options: SessionOptions
  ) throws -> any LoadedModel
}

extension Backend {
  /// Loads a model with the default session options.
  public func loadModel(at path: String, for modes: ModelModes) throws -> any LoadedModel {
    try loadModel(at: path, for: modes, options: SessionOptions())
  }
}

/// A model that a backend has loaded and that many sessions share.
public protocol LoadedModel: Sendable {
  /// The signatures of the model, at least one.
  var signatures: [SignatureDescription] { get }

  /// Whether a run changes the results of later runs of the same session.
  ///
  /// Such a model has one session and runs items one by one. The default is false.
  var keepsState: Bool { get }

  /// Whether several items may go through the model in one run, if it declares a batch axis.
  ///
  /// Otherwise, they run one by one. The default is true.
  var runsBatches: Bool { get }

  /// Finds the tensors for layers of these names.
  ///
  /// A backend that matches layers by name may know more tensors than a signature lists. TensorFlow
  /// knows every operation of its graph, and a trained TensorFlow Lite model knows the inputs of
  /// its training signatures.
  ///
  /// - Parameters:
  ///   - layers: The names in model.json.
  ///   - signature: One of ``signatures``.
  /// - Returns: A signature with the tensors that were found, followed by other inputs that the
  ///   outputs need. The default implementation returns the signature unchanged.
  func describe(_ layers: LayerNames, in signature: SignatureDescription) -> SignatureDescription

  /// Makes a session.
  ///
  /// - Parameters:
  ///   - signature: One of ``signatures``, or a result of ``describe(_:in:)``.
  ///   - options: How the session runs.
  /// - Returns: A session with its own memory.
  /// - Throws: ``TensorIOError`` when the runtime cannot run the model.
  func makeSession(
    _ signature: SignatureDescription, options: SessionOptions
  ) throws -> any Session
}

extension LoadedModel {
  public var keepsState: Bool { false }
  public var runsBatches: Bool { true }

  public func describe(
    _ layers: LayerNames, in signature: SignatureDescription
  ) -> SignatureDescription { signature }

  /// Makes a session for one of the model's own signatures.
  ///
  /// - Parameters:
  ///   - index: An index into ``signatures``.
  ///   - options: How the session runs.
  /// - Returns: A session with its own memory.
  /// - Throws: ``TensorIOError`` when the runtime cannot run the model.
  public func makeSession(signature index: Int, options: SessionOptions) throws -> any Session {
    try makeSession(signatures[index], options: options)
  }
}

/// The names of the layers that a session uses.
public struct LayerNames: Hashable, Sendable, Codable {
  /// The layers that are fed: the inputs, followed by the placeholders.
  public var inputs: [String]
  /// The layers that are read.
  public var outputs: [String]
  /// The operations that a training step runs, which are model.json's `train.ops`.
  public var operations: [String]

  /// Makes names.
  public init(inputs: [String], outputs: [String], operations: [String] = []) {
    self.inputs = inputs
    self.outputs = outputs
    self.operations = operations
  }
}

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

  /// Whether trained weights are written into a file beside the model's own, instead of into a new
  /// model.
  ///
  /// The default is false.
  var keepsWeightsBesideModel: Bool { get }

  /// Writes the weights as a safetensors file, which model.json's `weights` can name.
  ///
  /// The default implementation throws an error.
  ///
  /// - Parameter path: The file to create or replace.
  /// - Throws: ``TensorIOError`` when the file cannot be written.
  func exportWeights(to path: String) throws

  /// Computes the memory that a training step needs at most for its tensors, as far as the model's
  /// file shows it.
  ///
  /// - Parameter items: The number of items in the step.
  /// - Returns: The number of bytes; 0 by default.
  func stepBytes(items: Int) -> Int

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
  public var keepsWeightsBesideModel: Bool { false }
  public func stepBytes(items: Int) -> Int { 0 }

  public func exportWeights(to path: String) throws {
    throw TensorIOError(
      .unsupportedModel,
      "The weights cannot be written to '\(path)', because the runtime has no such files. Use "
        + "export(to:) or exportBundle(to:).")
  }
}

extension Mutex {
  /// Returns the value, which a closure makes the first time.
  package borrowing func value<Made: Sendable>(
    orMake make: () throws -> Made
  ) throws -> Made where Value == Made? {
    try withLock { value in
      let made = try value ?? make()
      value = made
      return made
    }
  }
}
