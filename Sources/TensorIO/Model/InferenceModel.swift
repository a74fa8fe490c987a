// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A model that runs in one of the backends: values in, values out, as its model.json says.
///
/// The model is safe to use from many threads and tasks; as many runs as it has sessions are under
/// way at once, the others wait.
public final class InferenceModel: Model {
  public let bundle: ModelBundle

  let loader: ModelLoader
  private let state = Mutex<Loaded?>(nil)
  /// Held while the model is loaded, which takes long; ``state`` only for a moment.
  private let loading = Mutex(())

  /// Makes a model; its file is read by ``load()`` or the first run.
  ///
  /// - Throws: ``TensorIOError`` when the loader has no backend for it.
  public init(bundle: ModelBundle, loader: ModelLoader) throws {
    _ = try loader.backend(for: bundle)
    self.bundle = bundle
    self.loader = loader
  }

  /// The inputs and outputs; loads the model when it is not.
  public var signature: ModelSignature {
    get throws {
      let bound = try loaded().bound
      return ModelSignature(
        inputs: bound.inputSpecs, outputs: bound.layout.specs,
        placeholders: bound.placeholderSpecs)
    }
  }

  /// What the bundle and the model disagree on without harm; loads the model when it is not.
  public var warnings: [BundleIssue] {
    get throws { try loaded().warnings }
  }

  public var isLoaded: Bool { state.withLock { $0 != nil } }

  public func load() throws { _ = try loaded() }

  public func unload() {
    // Freed outside the lock, when the last run that uses it has ended.
    _ = state.withLock { state in
      defer { state = nil }
      return state
    }
  }

  public func run(_ inputs: ModelInputs) throws -> ModelOutputs {
    let loaded = try loaded()
    return try loaded.pool.withSession { session in
      try loaded.bound.run(inputs, on: session)
    }
  }

  public func run(_ inputs: ModelInputs) async throws -> ModelOutputs {
    let loaded = try await loadedLater()
    return try await loaded.pool.withSession { session in
      try loaded.bound.run(inputs, on: session)
    }
  }

  /// Runs the model and tells how long it took.
  ///
  /// - Returns: The outputs and the time that writing the inputs and running the model took.
  public func measure(_ inputs: ModelInputs) throws -> (outputs: ModelOutputs, latency: RunLatency)
  {
    let loaded = try loaded()
    return try loaded.pool.withSession { session in
      try loaded.bound.measure(inputs, on: session)
    }
  }

  /// Runs the model on several items.
  ///
  /// Where the model or its description declares a batch axis (-1), the items go through the model in
  /// one run; else one after the other. The results are the same, as that declaration promises.
  ///
  /// - Parameter items: The inputs of each item.
  /// - Returns: The outputs of each item, in order.
  /// - Throws: ``TensorIOError``; `CancellationError` between runs when the task was cancelled.
  public func run(batch items: [ModelInputs]) throws -> [ModelOutputs] {
    let loaded = try loaded()
    return try loaded.pool.withSession { session in
      try loaded.run(batch: items, on: session)
    }
  }

  /// Runs the model on several items away from the calling task's thread.
  public func run(batch items: [ModelInputs]) async throws -> [ModelOutputs] {
    let loaded = try await loadedLater()
    let token = CancellationToken()
    return try await withTaskCancellationHandler {
      try await loaded.pool.withSession { session in
        try loaded.run(batch: items, on: session, until: token)
      }
    } onCancel: {
      token.cancel()
    }
  }

  // MARK: - Loading

  /// The model in memory; loads it when it is not.
  func loaded() throws -> Loaded {
    if let loaded = state.withLock({ $0 }) { return loaded }
    return try loading.withLock { _ in
      if let loaded = state.withLock({ $0 }) { return loaded }
      let new = try makeLoaded()
      state.withLock { $0 = new }
      return new
    }
  }

  /// Loading reads files and compiles, which must not hold one of the cooperative pool's threads.
  func loadedLater() async throws -> Loaded {
    if let loaded = state.withLock({ $0 }) { return loaded }
    return try await BlockingWork.run { try self.loaded() }
  }
}
