// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A model that learns: it trains on batches, runs as it has learned so far, and exports its weights.
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
/// The model is safe to use from many threads and tasks. Training steps run one after the other;
/// inference beside them sees the weights change. Unloaded, the model forgets what it has learned:
/// the next run or step starts from the weights in the bundle.
public final class TrainableModel: Model {
  public var bundle: ModelBundle { inference.bundle }

  let inference: InferenceModel

  /// Makes a model; its file is read by ``load()``, or the first run or step.
  ///
  /// - Throws: ``TensorIOError`` when the loader has no backend for it, or the bundle describes no
  ///   training.
  public init(bundle: ModelBundle, loader: ModelLoader) throws {
    guard bundle.manifest.describesTraining else {
      throw TensorIOError(
        .unsupportedModel,
        "'\(bundle.path)' describes no training: that takes \"train\" in model.modes, and the "
          + "operations of a step in train.ops.")
    }
    inference = try InferenceModel(bundle: bundle, loader: loader)
  }

  /// Opens a bundle and makes its model.
  ///
  /// - Throws: ``TensorIOError`` as ``init(bundle:loader:)``, and when the bundle is not valid.
  public convenience init(at path: String, loader: ModelLoader) throws {
    try self.init(bundle: ModelBundle(path), loader: loader)
  }

  public var signature: ModelSignature { get throws { try inference.signature } }
  public var isLoaded: Bool { inference.isLoaded }
  public func load() throws { try inference.load() }
  public func unload() { inference.unload() }

  /// What the bundle and the model disagree on without harm; loads the model when it is not.
  public var warnings: [BundleIssue] { get throws { try inference.warnings } }

  public func run(_ inputs: ModelInputs) throws -> ModelOutputs { try inference.run(inputs) }

  public func run(_ inputs: ModelInputs) async throws -> ModelOutputs {
    try await inference.run(inputs)
  }

  // MARK: - Training

  /// Trains on a batch: one step.
  ///
  /// - Parameters:
  ///   - batch: Values for all inputs.
  ///   - placeholders: What is fed beside the inputs, as a learning rate.
  /// - Returns: The outputs after the step, as the loss; those whose shape begins with -1 have the
  ///   values of all items.
  /// - Throws: ``TensorIOError`` when the batch does not fit the model; the weights are unchanged
  ///   then.
  @discardableResult
  public func train(
    _ batch: Batch, placeholders: [String: any TensorEncodable] = [:]
  ) throws -> ModelOutputs {
    let loaded = try inference.loaded()
    return try training(of: loaded).pool.withSession { session in
      try loaded.bound.run(batch, placeholders: placeholders, on: session)
    }
  }

  /// Trains on a batch away from the calling task's thread.
  @discardableResult
  public func train(
    _ batch: Batch, placeholders: [String: any TensorEncodable] = [:]
  ) async throws -> ModelOutputs {
    let loaded = try await inference.loadedLater()
    return try await training(of: loaded).pool.withSession { session in
      try loaded.bound.run(batch, placeholders: placeholders, on: session)
    }
  }

  /// Runs the model on a batch without training.
  ///
  /// - Parameters:
  ///   - batch: Values for all inputs.
  ///   - placeholders: What is fed beside the inputs.
  /// - Returns: The outputs, as `train(_:placeholders:)` returns them.
  /// - Throws: ``TensorIOError`` when the batch does not fit the model.
  public func evaluate(
    _ batch: Batch, placeholders: [String: any TensorEncodable] = [:]
  ) throws -> ModelOutputs {
    try inference.evaluate(batch, placeholders: placeholders)
  }

  /// Runs the model on a batch without training, away from the calling task's thread.
  public func evaluate(
    _ batch: Batch, placeholders: [String: any TensorEncodable] = [:]
  ) async throws -> ModelOutputs {
    try await inference.evaluate(batch, placeholders: placeholders)
  }

  /// Whether the model's outputs come only from training steps: it can neither run nor be evaluated.
  var onlyTrains: Bool { get throws { try inference.loaded().onlyTrains } }

  // MARK: - Weights

  /// Writes the weights into a folder that exists: with TensorFlow as `checkpoint.index` and
  /// `checkpoint.data-00000-of-00001`, with TensorFlow Lite as `checkpoint.safetensors`.
  ///
  /// The files appear when they are complete. A checkpoint that is there is replaced.
  ///
  /// - Throws: ``TensorIOError`` when the folder cannot be written, or the model cannot give its
  ///   weights.
  public func export(to folder: String) throws {
    try withWeights { try $0.exportCheckpoint(to: folder) }
  }

  /// Reads the weights that ``export(to:)`` wrote.
  ///
  /// - Throws: ``TensorIOError`` when there are none, or they are another model's.
  public func restore(from folder: String) throws {
    try withWeights { try $0.restoreCheckpoint(from: folder) }
  }

  /// Calls a closure with the model while no training step is under way.
  func withWeights<Result>(_ body: (any TrainableLoadedModel) throws -> Result) throws -> Result {
    let training = try training(of: inference.loaded())
    return try training.pool.withSession { _ in try body(training.model) }
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
  ///   - batch: Values for all inputs, which have a batch axis (-1) when there are several items.
  ///   - placeholders: What is fed beside the inputs.
  /// - Returns: The outputs of the batch, as its loss or accuracy; those whose shape begins with -1
  ///   have the values of all items, as numbers.
  /// - Throws: ``TensorIOError`` when the batch does not fit the model.
  public func evaluate(
    _ batch: Batch, placeholders: [String: any TensorEncodable] = [:]
  ) throws -> ModelOutputs {
    let loaded = try loaded()
    return try loaded.pool.withSession { session in
      try loaded.evaluate(batch, placeholders, on: session)
    }
  }

  /// Runs the model on a batch in one run, away from the calling task's thread.
  public func evaluate(
    _ batch: Batch, placeholders: [String: any TensorEncodable] = [:]
  ) async throws -> ModelOutputs {
    let loaded = try await loadedLater()
    return try await loaded.pool.withSession { session in
      try loaded.evaluate(batch, placeholders, on: session)
    }
  }
}

extension InferenceModel.Loaded {
  /// Single runs take it for granted that the session has the shapes of one item.
  fileprivate func evaluate(
    _ batch: Batch, _ placeholders: [String: any TensorEncodable], on session: any Session
  ) throws -> ModelOutputs {
    let outputs = Result { try bound.run(batch, placeholders: placeholders, on: session) }
    if let shapes = bound.inputShapes(forItems: 1) { try session.resizeInputs(to: shapes) }
    return try outputs.get()
  }
}
