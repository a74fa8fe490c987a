// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A model that can be trained on batches, run with its current weights, and exported.
///
/// Its bundle has the mode `train` and names the operations of a training step:
///
/// ```swift
/// let model = try TrainableModel(at: "cats-vs-dogs.tiobundle", loader: loader)
/// var batch = Batch(keys: ["image", "labels"])
/// try batch.addItem(["image": cat, "labels": 0])
/// let loss: Float = try model.train(batch)["loss"]
/// try model.exportBundle(to: "trained.tiobundle")
/// ```
///
/// The model is thread-safe. Training steps run one at a time. An inference that runs at the same
/// time as a step may see weights that are being updated. Unloading the model discards what it has
/// learned: the next run or step starts from the weights in the bundle.
public final class TrainableModel: Model {
  public var bundle: ModelBundle { inference.bundle }

  let inference: InferenceModel

  /// Makes a model, whose file is read by ``load()`` or by the first run or step.
  ///
  /// - Throws: ``TensorIOError`` when the loader has no backend for the bundle, or when the bundle
  ///   does not describe training.
  public init(bundle: ModelBundle, loader: ModelLoader) throws {
    guard bundle.manifest.describesTraining else {
      throw TensorIOError(
        .unsupportedModel,
        "'\(bundle.path)' doesn't describe training. Add \"train\" to model.modes, and list the "
          + "operations of a training step in train.ops.")
    }
    inference = try InferenceModel(bundle: bundle, loader: loader)
  }

  /// Opens a bundle and makes its model.
  ///
  /// - Throws: ``TensorIOError`` when the bundle is not valid, or for the reasons that
  ///   ``init(bundle:loader:)`` throws.
  public convenience init(at path: String, loader: ModelLoader) throws {
    try self.init(bundle: ModelBundle(path), loader: loader)
  }

  public var isLoaded: Bool { inference.isLoaded }
  public func load() throws { try inference.load() }
  public func loadSignature() throws -> ModelSignature { try inference.loadSignature() }
  public func unload() { inference.unload() }

  /// Returns the harmless differences between the bundle and the model file, and loads the model if
  /// it isn't loaded.
  ///
  /// - Throws: ``TensorIOError`` when the model cannot be loaded.
  public func loadWarnings() throws -> [BundleIssue] { try inference.loadWarnings() }

  public func run(_ inputs: ModelInputs) throws -> ModelOutputs { try inference.run(inputs) }

  public func run(_ inputs: ModelInputs) async throws -> ModelOutputs {
    try await inference.run(inputs)
  }

  public func run(
    _ inputs: ModelInputs, deadline: ContinuousClock.Instant
  ) throws -> ModelOutputs {
    try inference.run(inputs, deadline: deadline)
  }

  public func run(
    _ inputs: ModelInputs, deadline: ContinuousClock.Instant
  ) async throws -> ModelOutputs {
    try await inference.run(inputs, deadline: deadline)
  }

  public func measure(
    _ inputs: ModelInputs
  ) throws -> (outputs: ModelOutputs, latency: RunLatency) {
    try inference.measure(inputs)
  }

  public func measure(
    _ inputs: ModelInputs
  ) async throws -> (outputs: ModelOutputs, latency: RunLatency) {
    try await inference.measure(inputs)
  }

  public func run(batch items: [ModelInputs]) throws -> [ModelOutputs] {
    try inference.run(batch: items)
  }

  public func run(batch items: [ModelInputs]) async throws -> [ModelOutputs] {
    try await inference.run(batch: items)
  }

  // MARK: - Training

  /// Trains on a batch, in one step.
  ///
  /// - Parameters:
  ///   - batch: Values for all inputs.
  ///   - placeholders: Values that are fed in addition to the inputs, such as a learning rate.
  /// - Returns: The outputs after the step, such as the loss. An output whose shape begins with -1
  ///   holds the values of all items.
  /// - Throws: ``TensorIOError`` when the batch does not fit the model. The weights are then
  ///   unchanged.
  @discardableResult
  public func train(
    _ batch: Batch, placeholders: [String: any TensorEncodable] = [:]
  ) throws -> ModelOutputs {
    let loaded = try inference.loaded()
    return try inference.lend(training(of: loaded).pool, to: nil, items: batch.count) { session in
      try loaded.bound.run(batch, placeholders: placeholders, on: session)
    }
  }

  /// Trains on a batch without blocking the calling task's thread.
  @discardableResult
  public func train(
    _ batch: Batch, placeholders: [String: any TensorEncodable] = [:]
  ) async throws -> ModelOutputs {
    let loaded = try await inference.loaded()
    let pool = try training(of: loaded).pool
    return try await inference.lend(pool, to: nil, items: batch.count) { session in
      try loaded.bound.run(batch, placeholders: placeholders, on: session)
    }
  }

  /// Runs the model on a batch without training.
  ///
  /// - Parameters:
  ///   - batch: Values for all inputs.
  ///   - placeholders: Values that are fed in addition to the inputs.
  /// - Returns: The outputs, in the form that `train(_:placeholders:)` returns them.
  /// - Throws: ``TensorIOError`` when the batch does not fit the model.
  public func evaluate(
    _ batch: Batch, placeholders: [String: any TensorEncodable] = [:]
  ) throws -> ModelOutputs {
    try inference.evaluate(batch, placeholders: placeholders)
  }

  /// Runs the model on a batch without training and without blocking the calling task's thread.
  public func evaluate(
    _ batch: Batch, placeholders: [String: any TensorEncodable] = [:]
  ) async throws -> ModelOutputs {
    try await inference.evaluate(batch, placeholders: placeholders)
  }

  /// Takes a step on one item of zeros, to find out whether the model can be trained.
  ///
  /// The model is unloaded afterwards, so the step changes no weights.
  ///
  /// - Throws: ``TensorIOError`` when the step fails.
  package func tryStep() throws {
    defer { unload() }
    let signature = try loadSignature()
    func zeros(_ specs: [TensorSpec]) throws -> Batch.Item {
      var item: Batch.Item = [:]
      let part = ModelSignature(inputs: specs, outputs: [])
      try ModelInputs.zeros(for: part, longestSide: 256).forEach(specs) { index, value in
        item[specs[index].name] = value
      }
      return item
    }
    let batch = try Batch(keys: signature.inputs.map(\.name), items: [zeros(signature.inputs)])
    _ = try train(batch, placeholders: zeros(signature.placeholders))
  }

  // MARK: - Weights

  /// Writes the weights into an existing folder.
  ///
  /// TensorFlow writes `checkpoint.index` and `checkpoint.data-00000-of-00001`. TensorFlow Lite
  /// writes `checkpoint.safetensors`. The files appear only when they are complete, and they
  /// replace an existing checkpoint.
  ///
  /// - Throws: ``TensorIOError`` when the folder cannot be written, or when the model cannot export
  ///   its weights.
  public func export(to folder: String) throws {
    try withWeights { model in
      guard FileSystem.isFolder(folder) else {
        throw TensorIOError(
          .fileNotFound,
          "The checkpoint cannot be exported: the folder '\(folder)' doesn't exist. Create it "
            + "first.")
      }
      try model.exportCheckpoint(to: folder)
    }
  }

  /// Writes the weights as a safetensors file, which Python's package `safetensors` reads.
  ///
  /// - Throws: ``TensorIOError`` when the file cannot be written, or when the runtime has no such
  ///   files, as TensorFlow.
  public func exportWeights(to path: String) throws {
    try withWeights { try $0.exportWeights(to: path) }
  }

  /// Reads the weights that ``export(to:)`` wrote.
  ///
  /// - Throws: ``TensorIOError`` when the weights are missing or belong to another model.
  public func restore(from folder: String) throws {
    try withWeights { try $0.restoreCheckpoint(from: folder) }
  }

  /// Calls a closure with the model while no training step is running.
  func withWeights<Result>(_ body: (any TrainableLoadedModel) throws -> Result) throws -> Result {
    let training = try training(of: inference.loaded())
    return try inference.borrow(from: training.pool) { _ in try body(training.model) }
  }

  /// Returns the number of bytes that a training step needs at most for its tensors.
  func stepBytes(items: Int) throws -> Int {
    try training(of: inference.loaded()).model.stepBytes(items: items)
  }

  private func training(
    of loaded: InferenceModel.Loaded
  ) throws -> (pool: SessionPool, model: any TrainableLoadedModel) {
    guard let pool = loaded.training, let model = loaded.model as? any TrainableLoadedModel else {
      throw TensorIOError(
        .unsupportedModel, "The backend of '\(bundle.path)' cannot train models.")
    }
    return (pool, model)
  }
}

extension InferenceModel {
  /// Runs the model on a batch in one run.
  ///
  /// - Parameters:
  ///   - batch: Values for all inputs. With several items, every input must have a batch axis (-1).
  ///   - placeholders: Values that are fed in addition to the inputs.
  /// - Returns: The outputs of the batch, such as its loss or accuracy. An output whose shape
  ///   begins with -1 holds the values of all items, as numbers.
  /// - Throws: ``TensorIOError`` when the batch does not fit the model.
  public func evaluate(
    _ batch: Batch, placeholders: [String: any TensorEncodable] = [:]
  ) throws -> ModelOutputs {
    let loaded = try loaded()
    return try lend(loaded.pool, to: nil, items: batch.count) { session in
      try loaded.evaluate(batch, placeholders, on: session)
    }
  }

  /// Runs the model on a batch in one run without blocking the calling task's thread.
  public func evaluate(
    _ batch: Batch, placeholders: [String: any TensorEncodable] = [:]
  ) async throws -> ModelOutputs {
    let loaded = try await loaded()
    return try await lend(loaded.pool, to: nil, items: batch.count) { session in
      try loaded.evaluate(batch, placeholders, on: session)
    }
  }
}

extension InferenceModel.Loaded {
  /// Runs the batch, then restores the session's shapes for one item.
  ///
  /// Single runs rely on these shapes.
  fileprivate func evaluate(
    _ batch: Batch, _ placeholders: [String: any TensorEncodable], on session: any Session
  ) throws -> ModelOutputs {
    let outputs = Result { try bound.run(batch, placeholders: placeholders, on: session) }
    if let shapes = bound.inputShapes(forItems: 1) { try session.resizeInputs(to: shapes) }
    return try outputs.get()
  }
}
