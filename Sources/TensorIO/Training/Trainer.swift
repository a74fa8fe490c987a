// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Trains a model on many items over epochs.
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
/// The data is any collection that is quick to reach into. Its values are encoded when their step
/// comes: an `ImageFile` is only decoded then, and one that is made when it is asked for takes no
/// memory before.
///
/// A trainer is a plan. Each call trains the model, from the weights that it has.
public struct Trainer: Sendable {
  /// The model that learns.
  public let model: TrainableModel
  /// How it is trained.
  public var options: TrainingOptions

  var data: TrainingItems
  var validation: TrainingItems?

  /// Makes a trainer.
  ///
  /// - Parameters:
  ///   - model: The model that learns.
  ///   - data: The items to train on: a value for each input of the model, by name.
  ///   - validation: Items to try the model on after each epoch; nil takes those of
  ///     ``TrainingOptions/validationShare`` out of the data.
  ///   - options: How the model is trained.
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

  /// Has errors call the items by other names than their number, as the line of a file.
  package mutating func nameItems(
    data: @escaping @Sendable (Int) -> String, validation: @escaping @Sendable (Int) -> String
  ) {
    self.data.name = data
    self.validation?.name = validation
  }

  /// Trains the model on the calling thread.
  ///
  /// A token that is cancelled is no error: the training ends after the step under way, and the
  /// results are those of the epochs that were complete. After any error the model is usable and
  /// has what it learned until then.
  ///
  /// - Parameters:
  ///   - token: Ends the training early.
  ///   - onStep: Called after each step; what it throws ends the training.
  ///   - onEpoch: Called after each epoch; what it throws ends the training.
  /// - Returns: The results of the epochs, in order.
  /// - Throws: ``TensorIOError`` when the options make no sense, when an item does not fit the
  ///   model, naming its place in the data, and with the code
  ///   ``TensorIOError/Code/trainingDiverged`` when a loss is no finite number.
  @discardableResult
  public func train(
    until token: CancellationToken? = nil, onStep: (TrainingStep) throws -> Void = { _ in },
    onEpoch: (EpochResult) throws -> Void = { _ in }
  ) throws -> [EpochResult] {
    try train(until: { token?.isCancelled == true }, onStep: onStep, onEpoch: onEpoch)
  }

  /// Trains the model until a question is answered with yes.
  ///
  /// It is asked before each batch, of the training and of the validation: a long validation calls
  /// neither of the other closures, and would let no one cancel a token.
  @discardableResult
  package func train(
    until isOver: () -> Bool, onStep: (TrainingStep) throws -> Void,
    onEpoch: (EpochResult) throws -> Void
  ) throws -> [EpochResult] {
    var run = try TrainingRun(self)
    return try run.train(until: isOver, onStep, onEpoch)
  }

  /// Trains the model away from the calling task's thread.
  ///
  /// The closures are called on the thread that trains, one call at a time.
  ///
  /// - Throws: What the method of the same name throws that blocks, and `CancellationError` after
  ///   the step under way when the task is cancelled; the model keeps what it has learned.
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
          until: { cancelled.isCancelled || token?.isCancelled == true }, onStep, onEpoch)
      }
    } onCancel: {
      cancelled.cancel()
    }
    try Task.checkCancellation()
    return results
  }

  /// Trains the model, which begins at once, and hands over each epoch's result.
  ///
  /// Ending the iteration, or cancelling its task, ends the training after the step under way.
  ///
  /// - Returns: The results; the iteration throws what `train(until:onStep:onEpoch:)` throws.
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
