// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A runtime for models: TensorFlow Lite, TensorFlow, or one of your own.
public protocol Backend: Sendable {
  /// The name that model.json's `backend` takes.
  var name: String { get }

  /// Whether layers find their tensors by name; else by their order.
  var matchesLayersByName: Bool { get }

  /// Loads a model.
  ///
  /// - Parameters:
  ///   - path: The model file or folder.
  ///   - modes: What the model will be used for.
  ///   - options: How its sessions will run, for a runtime whose sessions share threads.
  /// - Returns: The model in memory, without a session yet.
  /// - Throws: ``TensorIOError`` when the library is missing or the model cannot be used.
  func loadModel(
    at path: String, for modes: ModelModes, options: SessionOptions
  ) throws -> any LoadedModel
}

extension Backend {
  /// Loads a model that runs as sessions do by default.
  public func loadModel(at path: String, for modes: ModelModes) throws -> any LoadedModel {
    try loadModel(at: path, for: modes, options: SessionOptions())
  }
}

/// A model that a backend has loaded: what many sessions share.
public protocol LoadedModel: Sendable {
  /// The ways to run it, at least one.
  var signatures: [SignatureDescription] { get }

  /// Whether runs change what later runs of the same session give.
  ///
  /// Such a model has one session, and runs item by item. The default is false.
  var keepsState: Bool { get }

  /// The tensors that layers of these names mean.
  ///
  /// A backend that finds layers by name may know more tensors than a signature lists, as
  /// TensorFlow knows every operation of its graph, and a trained TensorFlow Lite model the inputs of
  /// its training signatures.
  ///
  /// - Parameters:
  ///   - layers: The names that model.json gives.
  ///   - signature: One of ``signatures``.
  /// - Returns: A signature with the tensors that were found, and behind them the inputs that the
  ///   outputs need beside those named. The default is the signature as it is.
  func describe(_ layers: LayerNames, in signature: SignatureDescription) -> SignatureDescription

  /// Makes a session.
  ///
  /// - Parameters:
  ///   - signature: One of ``signatures``, or what ``describe(_:in:)`` made of it.
  ///   - options: How the session runs.
  /// - Returns: A session with memory of its own.
  /// - Throws: ``TensorIOError`` when the runtime cannot run the model.
  func makeSession(
    _ signature: SignatureDescription, options: SessionOptions
  ) throws -> any Session
}

extension LoadedModel {
  public var keepsState: Bool { false }

  public func describe(
    _ layers: LayerNames, in signature: SignatureDescription
  ) -> SignatureDescription { signature }

  /// Makes a session of one of the model's own signatures.
  ///
  /// - Parameters:
  ///   - index: An index of ``signatures``.
  ///   - options: How the session runs.
  /// - Returns: A session with memory of its own.
  /// - Throws: ``TensorIOError`` when the runtime cannot run the model.
  public func makeSession(signature index: Int, options: SessionOptions) throws -> any Session {
    try makeSession(signatures[index], options: options)
  }
}

/// The names of the layers that a session is for.
public struct LayerNames: Hashable, Sendable {
  /// What is fed: inputs, and placeholders behind them.
  public var inputs: [String]
  /// What is read.
  public var outputs: [String]
  /// What a training step runs: model.json's `train.ops`.
  public var operations: [String]

  /// Makes names.
  public init(inputs: [String], outputs: [String], operations: [String] = []) {
    self.inputs = inputs
    self.outputs = outputs
    self.operations = operations
  }
}
