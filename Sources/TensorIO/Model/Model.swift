// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A model that can be run.
///
/// ``InferenceModel`` is the library's own; a class of yours that conforms can be named by
/// model.json's `class` and registered with a ``ModelLoader``.
public protocol Model: AnyObject, Sendable {
  /// Makes a model for a bundle.
  ///
  /// - Parameters:
  ///   - bundle: The bundle that names the class.
  ///   - loader: The loader that makes it, with its backends.
  /// - Throws: ``TensorIOError`` when the model cannot be made.
  init(bundle: ModelBundle, loader: ModelLoader) throws

  /// The bundle.
  var bundle: ModelBundle { get }
  /// The inputs and outputs, as model.json describes them and, once loaded, the model itself.
  var signature: ModelSignature { get throws }
  /// Whether the model is in memory.
  var isLoaded: Bool { get }

  /// Brings the model into memory; running does it too. Loading a loaded model does nothing.
  func load() throws
  /// Frees the model's memory. Runs under way end as usual; a later run loads it again.
  func unload()

  /// Runs the model; waits while all its sessions are busy.
  func run(_ inputs: ModelInputs) throws -> ModelOutputs
  /// Runs the model away from the calling task's thread.
  func run(_ inputs: ModelInputs) async throws -> ModelOutputs
}

extension Model {
  /// Runs the model on one value, or on an array with a value for each input.
  public func run(_ value: some TensorEncodable) throws -> ModelOutputs {
    try run(ModelInputs(value))
  }

  /// Runs the model on one value, or on an array with a value for each input.
  public func run(_ value: some TensorEncodable) async throws -> ModelOutputs {
    try await run(ModelInputs(value))
  }

  /// Runs the model with values for what is fed beside its inputs.
  ///
  /// - Parameters:
  ///   - inputs: The values of the inputs.
  ///   - placeholders: The values of model.json's `placeholders`, by name.
  /// - Returns: The outputs.
  /// - Throws: ``TensorIOError`` when a value is missing, unknown or does not fit.
  public func run(
    _ inputs: ModelInputs, placeholders: [String: any TensorEncodable]
  ) throws -> ModelOutputs {
    var inputs = inputs
    inputs.placeholders = placeholders
    return try run(inputs)
  }

  /// Runs the model away from the calling task's thread, with values for what is fed beside its
  /// inputs.
  public func run(
    _ inputs: ModelInputs, placeholders: [String: any TensorEncodable]
  ) async throws -> ModelOutputs {
    var inputs = inputs
    inputs.placeholders = placeholders
    return try await run(inputs)
  }
}

/// A model of a bundle without a model file: every run gives no outputs.
public final class PlaceholderModel: Model {
  public let bundle: ModelBundle

  public init(bundle: ModelBundle, loader: ModelLoader) { self.bundle = bundle }

  public var signature: ModelSignature { ModelSignature(of: bundle) }
  public var isLoaded: Bool { true }
  public func load() {}
  public func unload() {}

  public func run(_ inputs: ModelInputs) throws -> ModelOutputs {
    ModelOutputs(layout: OutputLayout([]), storage: TensorStorage(byteCount: 0) { _ in })
  }

  public func run(_ inputs: ModelInputs) async throws -> ModelOutputs {
    ModelOutputs(layout: OutputLayout([]), storage: TensorStorage(byteCount: 0) { _ in })
  }
}
