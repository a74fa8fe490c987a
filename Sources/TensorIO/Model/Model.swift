// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A model that can be run.
///
/// ``InferenceModel`` is the library's own. To use a class of yours, make it conform, name it in
/// model.json's `class`, and register it with a ``ModelLoader``.
public protocol Model: AnyObject, Sendable {
  /// Makes a model for a bundle.
  ///
  /// - Parameters:
  ///   - bundle: The bundle that names the class.
  ///   - loader: The loader that makes the model, with its backends.
  /// - Throws: ``TensorIOError`` when the model cannot be made.
  init(bundle: ModelBundle, loader: ModelLoader) throws

  /// The bundle.
  var bundle: ModelBundle { get }
  /// Whether the model is in memory.
  var isLoaded: Bool { get }

  /// Loads the model into memory, which the first run also does.
  ///
  /// Loading a loaded model does nothing.
  func load() throws
  /// Returns the inputs and outputs, and loads the model if it isn't loaded.
  ///
  /// - Throws: ``TensorIOError`` when the model cannot be loaded.
  func loadSignature() throws -> ModelSignature
  /// Returns the harmless differences between the bundle and the model file, and loads the model if
  /// it isn't loaded.
  ///
  /// The default returns the bundle's own warnings.
  ///
  /// - Throws: ``TensorIOError`` when the model cannot be loaded.
  func loadWarnings() throws -> [BundleIssue]
  /// Frees the model's memory.
  ///
  /// Current runs finish normally, and a later run loads the model again.
  func unload()

  /// Runs the model, and waits while all its sessions are busy.
  func run(_ inputs: ModelInputs) throws -> ModelOutputs
  /// Runs the model without blocking the calling task's thread.
  ///
  /// If the task is cancelled, it goes on at once with a `CancellationError`. The runtime ends the run
  /// as soon as it can, and other runs are not affected.
  func run(_ inputs: ModelInputs) async throws -> ModelOutputs

  /// Runs the model, and gives up at a time.
  ///
  /// The deadline applies to loading the model if it isn't loaded, to the wait for a session and to
  /// the run. LiteRT and TensorFlow end a run between two operations, and this method returns after
  /// that. Outputs that come after the deadline are dropped. A load is completed for later runs. The
  /// default only checks the deadline before the run.
  ///
  /// - Parameters:
  ///   - inputs: The values of the inputs.
  ///   - deadline: The latest time, such as `.now + .milliseconds(200)`.
  /// - Returns: The outputs.
  /// - Throws: ``TensorIOError`` with the code ``TensorIOError/Code/deadlineExceeded``, whose message
  ///   says how long the run waited and ran.
  func run(_ inputs: ModelInputs, deadline: ContinuousClock.Instant) throws -> ModelOutputs
  /// Runs the model without blocking the calling task's thread, and gives up at a time.
  ///
  /// The task goes on at the deadline, even if the runtime can't end the run by then. Its session is
  /// used again after the run. The default has the same effect, but not on the runtime.
  ///
  /// - Parameters:
  ///   - inputs: The values of the inputs.
  ///   - deadline: The latest time, such as `.now + .milliseconds(200)`.
  /// - Returns: The outputs.
  /// - Throws: ``TensorIOError``, like the blocking method.
  func run(_ inputs: ModelInputs, deadline: ContinuousClock.Instant) async throws -> ModelOutputs

  /// Runs the model and measures how long each part of the run took.
  ///
  /// The default counts everything as inference.
  func measure(_ inputs: ModelInputs) throws -> (outputs: ModelOutputs, latency: RunLatency)
  /// Runs the model without blocking the calling task's thread, and measures each part of the run.
  func measure(
    _ inputs: ModelInputs
  ) async throws -> (outputs: ModelOutputs, latency: RunLatency)

  /// Runs the model on several items.
  ///
  /// The default runs them one by one. The library's own models run items together if the model or
  /// its description declares a batch axis (-1).
  ///
  /// - Parameter items: The inputs of each item.
  /// - Returns: The outputs of each item, in order.
  /// - Throws: ``TensorIOError`` when the inputs of an item do not fit the model, or when a run
  ///   fails.
  func run(batch items: [ModelInputs]) throws -> [ModelOutputs]
  /// Runs the model on several items without blocking the calling task's thread.
  ///
  /// - Parameter items: The inputs of each item.
  /// - Returns: The outputs of each item, in order.
  /// - Throws: ``TensorIOError``, like the blocking method, and `CancellationError` between runs
  ///   when the task was cancelled.
  func run(batch items: [ModelInputs]) async throws -> [ModelOutputs]
}

extension Model {
  public func run(batch items: [ModelInputs]) throws -> [ModelOutputs] {
    try items.map { try run($0) }
  }

  public func run(batch items: [ModelInputs]) async throws -> [ModelOutputs] {
    var outputs: [ModelOutputs] = []
    outputs.reserveCapacity(items.count)
    for inputs in items {
      try Task.checkCancellation()
      outputs.append(try await run(inputs))
    }
    return outputs
  }

  public func loadWarnings() throws -> [BundleIssue] {
    try load()
    return bundle.warnings
  }

  public func measure(
    _ inputs: ModelInputs
  ) throws -> (outputs: ModelOutputs, latency: RunLatency) {
    let start = ContinuousClock.now
    let outputs = try run(inputs)
    return (outputs, RunLatency(inference: .now - start))
  }

  public func measure(
    _ inputs: ModelInputs
  ) async throws -> (outputs: ModelOutputs, latency: RunLatency) {
    let start = ContinuousClock.now
    let outputs = try await run(inputs)
    return (outputs, RunLatency(inference: .now - start))
  }

  public func run(
    _ inputs: ModelInputs, deadline: ContinuousClock.Instant
  ) throws -> ModelOutputs {
    let request = RunRequest(deadline: deadline)
    if request.token.isExpired { throw request.expired(of: bundle.path) }
    return try run(inputs)
  }

  public func run(
    _ inputs: ModelInputs, deadline: ContinuousClock.Instant
  ) async throws -> ModelOutputs {
    let request = RunRequest(deadline: deadline)
    let path = bundle.path
    return try await PendingRun.run(
      until: deadline, orThrow: { request.expired(of: path) },
      {
        request.begin()
        return try await self.run(inputs)
      })
  }

  /// Runs the model on one value, or on an array with a value for each input.
  public func run(_ value: some TensorEncodable) throws -> ModelOutputs {
    try run(ModelInputs(value))
  }

  /// Runs the model on one value, or on an array with a value for each input, and gives up at a time.
  public func run(
    _ value: some TensorEncodable, deadline: ContinuousClock.Instant
  ) throws -> ModelOutputs {
    try run(ModelInputs(value), deadline: deadline)
  }

  /// Runs the model on one value, or on an array with a value for each input, without blocking the
  /// calling task's thread, and gives up at a time.
  public func run(
    _ value: some TensorEncodable, deadline: ContinuousClock.Instant
  ) async throws -> ModelOutputs {
    try await run(ModelInputs(value), deadline: deadline)
  }

  /// Runs the model on one value, or on an array with a value for each input.
  public func run(_ value: some TensorEncodable) async throws -> ModelOutputs {
    try await run(ModelInputs(value))
  }

  /// Runs the model with values for its placeholders.
  ///
  /// - Parameters:
  ///   - inputs: The values of the inputs.
  ///   - placeholders: The values of model.json's `placeholders`, by name.
  /// - Returns: The outputs.
  /// - Throws: ``TensorIOError`` when a value is missing, is unknown or does not fit.
  public func run(
    _ inputs: ModelInputs, placeholders: [String: any TensorEncodable]
  ) throws -> ModelOutputs {
    var inputs = inputs
    inputs.placeholders = placeholders
    return try run(inputs)
  }

  /// Runs the model with values for its placeholders, without blocking the calling task's thread.
  public func run(
    _ inputs: ModelInputs, placeholders: [String: any TensorEncodable]
  ) async throws -> ModelOutputs {
    var inputs = inputs
    inputs.placeholders = placeholders
    return try await run(inputs)
  }
}

/// The model of a bundle without a model file, whose runs return no outputs.
final class PlaceholderModel: Model {
  let bundle: ModelBundle

  init(bundle: ModelBundle, loader: ModelLoader) { self.bundle = bundle }

  var isLoaded: Bool { true }
  func load() {}
  func loadSignature() -> ModelSignature { ModelSignature(of: bundle) }
  func unload() {}

  func run(_ inputs: ModelInputs) throws -> ModelOutputs {
    ModelOutputs(
      layout: OutputLayout([]), storage: TensorStorage(byteCount: 0) { _ in })
  }

  func run(_ inputs: ModelInputs) async throws -> ModelOutputs {
    ModelOutputs(
      layout: OutputLayout([]), storage: TensorStorage(byteCount: 0) { _ in })
  }
}
