// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The options of a ``Trainer``.
///
/// ```swift
/// var options = TrainingOptions(epochs: 20, batchSize: 64)
/// options.placeholders = ["learning_rate": 0.01]
/// options.validationShare = 0.1
/// options.earlyStopping = EarlyStopping(patience: 3)
/// options.keepsBest = true
/// ```
public struct TrainingOptions: Sendable {
  /// The number of times that the model sees all items.
  public var epochs: Int
  /// The number of items in a step.
  ///
  /// The last step of an epoch has the remaining items.
  public var batchSize: Int
  /// Values that are fed in addition to the inputs in every step, by name, such as a learning rate.
  public var placeholders: [String: any TensorEncodable]

  /// Placeholders whose value depends on the step, by name.
  public var schedules: [String: ValueSchedule] = [:]

  /// Returns the class of an item, by its index, if every class is seen equally often in an epoch.
  ///
  /// The items of smaller classes are then seen several times. Validation items are not balanced.
  public var balancedClass: (@Sendable (Int) -> Int)?

  /// Whether the items are shuffled before each epoch.
  ///
  /// If false, they keep their order.
  public var shuffles = true
  /// The seed for shuffling and for choosing the validation items.
  ///
  /// The same seed and number of items give the same order and choice on every machine.
  public var seed: UInt64 = 0

  /// The share of the items that is used for validation, from 0 to less than 1.
  ///
  /// The model is evaluated on these items after each epoch and never trained on them. The number
  /// of items is rounded. It is at least 1 if the share is above 0.
  public var validationShare = 0.0

  /// The output that determines the best epoch; nil means the first output that is a single number.
  ///
  /// Its mean over the validation items is used, or its mean over the training items if there are
  /// no validation items.
  public var monitoredOutput: String?
  /// Whether a higher monitored output is better, as with accuracy.
  ///
  /// By default, a lower value is better.
  public var prefersHigher = false
  /// Ends the training when the monitored output stops improving; nil trains all epochs.
  public var earlyStopping: EarlyStopping?
  /// Whether the model ends with the weights of its best epoch, however the training ends.
  ///
  /// If false, it ends with the weights of its last step.
  public var keepsBest = false

  /// Where checkpoints are written; nil for none.
  public var checkpoints: CheckpointOptions?

  /// The time, memory and steps that the training may take.
  public var limits = TrainingLimits()

  /// Whether a training step with an output that is not finite ends the training with an error.
  ///
  /// The weights do not recover when the loss is not finite. Turn this off for metrics that are NaN
  /// when a step has nothing to measure.
  public var stopsAtNonFinite = true

  /// Makes options.
  ///
  /// - Parameters:
  ///   - epochs: The number of times that the model sees all items.
  ///   - batchSize: The number of items in a step.
  ///   - placeholders: Values that are fed in addition to the inputs, by name.
  public init(
    epochs: Int = 1, batchSize: Int = 32, placeholders: [String: any TensorEncodable] = [:]
  ) {
    self.epochs = epochs
    self.batchSize = batchSize
    self.placeholders = placeholders
  }
}

/// The rule for ending a training that has stopped improving.
public struct EarlyStopping: Sendable, Hashable {
  /// The number of epochs without improvement after which the training ends.
  public var patience: Int
  /// The smallest change of the monitored output that counts as an improvement.
  public var minimumImprovement: Double

  /// Makes a rule.
  public init(patience: Int, minimumImprovement: Double = 0) {
    self.patience = patience
    self.minimumImprovement = minimumImprovement
  }
}

/// The checkpoints of a training, from which it can continue after its process has ended.
///
/// After each epoch, a folder such as `epoch-00007` gets the weights and `training.json`, which says where the
/// training stands. It appears when it is complete.
public struct CheckpointOptions: Sendable, Hashable {
  /// The folder of the checkpoints, which is made if it doesn't exist.
  public var folder: String
  /// The number of checkpoints that are kept; that of the best epoch is always kept.
  public var kept: Int
  /// Whether the training continues from the last checkpoint in the folder, if there is one.
  ///
  /// The numbers of the epochs and steps go on, and so do shuffling, schedules and early stopping. The data
  /// and the options must be the same, except for the number of epochs.
  public var resumes: Bool

  /// Makes options.
  public init(folder: String, kept: Int = 2, resumes: Bool = false) {
    self.folder = folder
    self.kept = kept
    self.resumes = resumes
  }
}
