// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Trains a model on many items over several epochs.
///
/// ```swift
/// let data = photos.map { ["image": ImageFile($0.path), "label": $0.label] as Batch.Item }
/// var options = TrainingOptions(epochs: 10)
/// options.validationShare = 0.1
/// options.keepsBest = true
/// let trainer = Trainer(model, data: data, options: options)
/// for try await epoch in trainer.epochs() {
///   print(epoch.epoch, epoch.training, epoch.isBest)
/// }
/// ```
///
/// The data is any collection with fast random access. A value is encoded only when its step
/// begins: an `ImageFile` is decoded then, and a collection that creates its items on access needs
/// no memory for them before.
///
/// A trainer only holds the configuration. Each call to a `train` method continues from the model's
/// current weights, or from the last checkpoint if ``TrainingOptions/checkpoints`` says so.
public struct Trainer: Sendable {
  /// The model to train.
  public let model: TrainableModel
  /// The training options.
  public var options: TrainingOptions

  var data: TrainingItems
  var validation: TrainingItems?

  /// Makes a trainer.
  ///
  /// - Parameters:
  ///   - model: The model to train.
  ///   - data: The items to train on. Each has a value for every input of the model, by name.
  ///   - validation: The items to evaluate the model on after each epoch. If nil, the share
  ///     ``TrainingOptions/validationShare`` of the data is set aside for validation.
  ///   - options: The training options.
  public init(
    _ model: TrainableModel, data: some RandomAccessCollection<Batch.Item> & Sendable,
    validation: (any RandomAccessCollection<Batch.Item> & Sendable)? = nil,
    options: TrainingOptions = TrainingOptions()
  ) {
    self.model = model
    self.data = TrainingItems(data, called: "data")
    self.validation = validation.map { TrainingItems($0, called: "validation data") }
    self.options = options
  }

  /// Sets the names that errors use for items, such as a line of a file, instead of their index.
  package mutating func nameItems(
    data: @escaping @Sendable (Int) -> String, validation: @escaping @Sendable (Int) -> String
  ) {
    self.data.name = data
    self.validation?.name = validation
  }

  /// Checks the options and the data, as `train` does before its first step.
  ///
  /// - Throws: ``TensorIOError`` when an option is invalid.
  package func check() throws { _ = try TrainingRun(self) }

  /// Trains the model on the calling thread.
  ///
  /// Cancelling the token is not an error: the training ends after the current step and returns the
  /// results of the completed epochs. After an error, the model can still be used and keeps what it
  /// has learned.
  ///
  /// - Parameters:
  ///   - token: Ends the training early when it is cancelled.
  ///   - onStep: Called after each step. An error that it throws ends the training.
  ///   - onEpoch: Called after each epoch. An error that it throws ends the training.
  /// - Returns: The results of the epochs, in order.
  /// - Throws: ``TensorIOError`` when an option is invalid, or when an item does not fit the model
  ///   (the message names the item). The code is ``TensorIOError/Code/trainingDiverged`` when a
  ///   loss is not finite.
  @discardableResult
  public func train(
    until token: CancellationToken? = nil, onStep: (TrainingStep) throws -> Void = { _ in },
    onEpoch: (EpochResult) throws -> Void = { _ in }
  ) throws -> [EpochResult] {
    try summary(until: { token?.isCancelled == true }, onStep: onStep, onEpoch: onEpoch).epochs
  }

  /// Trains the model on the calling thread, and says why the training ended.
  ///
  /// Use it instead of `train` with ``TrainingOptions/limits``.
  ///
  /// - Parameters:
  ///   - token: Ends the training early when it is cancelled.
  ///   - onStep: Called after each step. An error that it throws ends the training.
  ///   - onEpoch: Called after each epoch. An error that it throws ends the training.
  /// - Returns: What the training did.
  /// - Throws: The errors of `train`, and the code ``TensorIOError/Code/invalidOption`` when the
  ///   first step doesn't fit into the memory limit.
  public func run(
    until token: CancellationToken? = nil, onStep: (TrainingStep) throws -> Void = { _ in },
    onEpoch: (EpochResult) throws -> Void = { _ in }
  ) throws -> TrainingSummary {
    try summary(until: { token?.isCancelled == true }, onStep: onStep, onEpoch: onEpoch)
  }

  /// Trains the model without blocking the calling task's thread, and says why the training ended.
  ///
  /// The closures are called on the training thread, one call at a time. If the task is cancelled,
  /// the training ends after the current step with ``TrainingSummary/Ending/cancelled``.
  ///
  /// - Throws: The errors of the blocking method with the same name.
  public func run(
    until token: CancellationToken? = nil,
    onStep: @escaping @Sendable (TrainingStep) throws -> Void = { _ in },
    onEpoch: @escaping @Sendable (EpochResult) throws -> Void = { _ in }
  ) async throws -> TrainingSummary {
    let cancelled = CancellationToken()
    return try await withTaskCancellationHandler {
      try await BlockingWork.run {
        try summary(
          until: { cancelled.isCancelled || token?.isCancelled == true }, onStep: onStep,
          onEpoch: onEpoch)
      }
    } onCancel: {
      cancelled.cancel()
    }
  }

  /// Trains the model until a closure returns true.
  ///
  /// `isOver` is called before each batch, both in training and in validation. The other closures
  /// are not called during validation, so a caller could not use them to cancel a long validation.
  ///
  /// - Parameters:
  ///   - isOver: Whether the training ends.
  ///   - wantsCheckpoint: Whether to write a checkpoint after the current step.
  ///   - onResume: Called with the number of completed epochs, the folder and the notes that changed, if
  ///     the training continues from a checkpoint.
  ///   - onStep: Called after each step.
  ///   - onEpoch: Called after each epoch.
  /// - Returns: What the training did.
  /// - Throws: The errors of the public method.
  package func summary(
    until isOver: () -> Bool, wantsCheckpoint: () -> Bool = { false },
    onResume: (_ epochs: Int, _ folder: String, _ changes: [ChangedSetting]) -> Void = {
      _, _, _ in
    },
    onStep: (TrainingStep) throws -> Void, onEpoch: (EpochResult) throws -> Void
  ) throws -> TrainingSummary {
    var run = try TrainingRun(self)
    let results = try run.train(
      until: isOver, checkpointsWhen: wantsCheckpoint, onResume, onStep, onEpoch)
    return run.summary(results)
  }

  /// Trains the model until a closure returns true, as the method above.
  ///
  /// - Returns: The results of the epochs, in order.
  /// - Throws: The errors of the public method.
  @discardableResult
  package func train(
    until isOver: () -> Bool, wantsCheckpoint: () -> Bool = { false },
    onStep: (TrainingStep) throws -> Void, onEpoch: (EpochResult) throws -> Void
  ) throws -> [EpochResult] {
    try summary(
      until: isOver, wantsCheckpoint: wantsCheckpoint, onStep: onStep, onEpoch: onEpoch
    ).epochs
  }

  /// Trains the model without blocking the calling task's thread.
  ///
  /// The closures are called on the training thread, one call at a time.
  ///
  /// - Throws: The errors of the blocking method with the same name. If the task is cancelled, it
  ///   throws `CancellationError` after the current step, and the model keeps what it has learned.
  @discardableResult
  public func train(
    until token: CancellationToken? = nil,
    onStep: @escaping @Sendable (TrainingStep) throws -> Void = { _ in },
    onEpoch: @escaping @Sendable (EpochResult) throws -> Void = { _ in }
  ) async throws -> [EpochResult] {
    let cancelled = CancellationToken()
    let results = try await withTaskCancellationHandler {
      try Task.checkCancellation()
      return try await BlockingWork.run {
        var run = try TrainingRun(self)
        return try run.train(
          until: { cancelled.isCancelled || token?.isCancelled == true },
          checkpointsWhen: { false }, { _, _, _ in }, onStep, onEpoch)
      }
    } onCancel: {
      cancelled.cancel()
    }
    try Task.checkCancellation()
    return results
  }

  /// Starts training immediately and returns the result of each epoch as it completes.
  ///
  /// Ending the iteration or cancelling its task ends the training after the current step.
  ///
  /// - Returns: The results. The iteration throws the errors of `train(until:onStep:onEpoch:)`.
  public func epochs() -> AsyncThrowingStream<EpochResult, any Error> {
    AsyncThrowingStream { continuation in
      let training = Task {
        do {
          try await train(onEpoch: { continuation.yield($0) })
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in training.cancel() }
    }
  }
}

/// The result of one step of a ``Trainer``.
public struct TrainingStep: Sendable {
  /// The epoch, counted from 1.
  public let epoch: Int
  /// The step in the epoch, counted from 1.
  public let step: Int
  /// The number of steps in every epoch.
  public let stepsPerEpoch: Int
  /// The number of items in the step.
  public let items: Int
  /// The step's outputs that are single numbers.
  ///
  /// An output with one number for each item is averaged over the items of the step.
  public let means: OutputMeans
  /// All outputs of the step.
  public let outputs: ModelOutputs
  /// The average number of steps per second in this epoch so far.
  public let stepsPerSecond: Double
}

/// The result of one epoch of a ``Trainer``.
public struct EpochResult: Sendable {
  /// The epoch, counted from 1.
  public let epoch: Int
  /// The number of steps.
  public let steps: Int
  /// The number of items that were trained on.
  public let items: Int
  /// The duration of the epoch, including the validation.
  public let duration: Duration
  /// The means of the training steps' outputs over all items, as each step computed them.
  public let training: OutputMeans
  /// All outputs of the last step.
  public let lastOutputs: ModelOutputs
  /// The means of the outputs over the validation items after the epoch; nil without validation
  /// items.
  public let validation: OutputMeans?
  /// What ``TrainingOptions/measurement`` returned; empty without one.
  public let metrics: [EpochMetric]
  /// Whether the monitored output or metric is better than in every earlier epoch.
  public let isBest: Bool
}

struct TrainingItems: Sendable {
  let count: Int
  /// Returns the name that errors use for an item.
  var name: @Sendable (Int) -> String

  private let item: @Sendable (Int) -> Batch.Item

  init(_ items: some RandomAccessCollection<Batch.Item> & Sendable, called noun: String) {
    count = items.count
    item = { items[items.index(items.startIndex, offsetBy: $0)] }
    name = { "Item \($0) of the \(noun)" }
  }

  /// Makes a batch of the items at these indices, whose errors name the items.
  ///
  /// - Parameters:
  ///   - indexes: The items; the slice is a part of the order of the whole epoch.
  ///   - keys: The names of the inputs.
  ///   - prepare: Returns an item as the model sees it, by its index and its position in the epoch.
  /// - Returns: The batch.
  /// - Throws: ``TensorIOError`` when an item lacks a value, and the errors of `prepare`.
  func batch(
    of indexes: ArraySlice<Int>, keys: [String],
    _ prepare: (_ item: Batch.Item, _ index: Int, _ position: Int) throws -> Batch.Item
  ) throws -> Batch {
    var batch = Batch(keys: keys)
    let (name, first) = (name, indexes.startIndex)
    batch.nameOfItem = { row in name(indexes[first + row]) }
    for (position, index) in zip(indexes.indices, indexes) {
      try batch.addItem(prepare(item(index), index, position))
    }
    return batch
  }
}
