// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// How a ``Trainer`` trains.
///
/// ```swift
/// var options = TrainingOptions(epochs: 20, batchSize: 64)
/// options.placeholders = ["learning_rate": 0.01]
/// options.validationShare = 0.1
/// options.earlyStopping = EarlyStopping(patience: 3)
/// options.keepsBest = true
/// ```
public struct TrainingOptions: Sendable {
  /// How often the model sees all items.
  public var epochs: Int
  /// The number of items in a step; the last step of an epoch has those that are left.
  public var batchSize: Int
  /// What is fed beside the inputs in every step, by name, as a learning rate.
  public var placeholders: [String: any TensorEncodable]

  /// Whether each epoch goes through the items in an order of its own; else in theirs.
  public var shuffles = true
  /// What the orders and the choice of the validation items come from: the same seed and count of
  /// items give the same ones on every machine.
  public var seed: UInt64 = 0

  /// The share of the items that the model is tried on after each epoch and never trained on, 0 to
  /// less than 1; the count is rounded, and at least 1 above 0.
  public var validationShare = 0.0

  /// The output that tells which epoch is the best; nil means the first that is one number.
  ///
  /// It is the validation's mean where there are validation items, else the training's.
  public var monitoredOutput: String?
  /// Whether more of the monitored output is better, as of an accuracy; less is by default.
  public var prefersHigher = false
  /// Ends the training when the monitored output gets no better; nil trains all epochs.
  public var earlyStopping: EarlyStopping?
  /// Whether the model has the weights of its best epoch in the end, however the training ends;
  /// else it has the last ones.
  public var keepsBest = false

  /// Whether an output of a training step that is no finite number ends the training with an error.
  ///
  /// Weights do not recover from it when it is the loss. Some measures are not a number where there
  /// is nothing to measure.
  public var stopsAtNonFinite = true

  /// Makes options.
  ///
  /// - Parameters:
  ///   - epochs: How often the model sees all items.
  ///   - batchSize: The number of items in a step.
  ///   - placeholders: What is fed beside the inputs, by name.
  public init(
    epochs: Int = 1, batchSize: Int = 32, placeholders: [String: any TensorEncodable] = [:]
  ) {
    self.epochs = epochs
    self.batchSize = batchSize
    self.placeholders = placeholders
  }
}

/// When a training that gets no better ends.
public struct EarlyStopping: Sendable, Hashable {
  /// After how many epochs without improvement.
  public var patience: Int
  /// The least change of the monitored output that counts as improvement.
  public var minimumImprovement: Double

  /// Makes a rule.
  public init(patience: Int, minimumImprovement: Double = 0) {
    self.patience = patience
    self.minimumImprovement = minimumImprovement
  }
}
