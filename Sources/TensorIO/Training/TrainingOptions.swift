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

  /// The weight of each item in the loss; nil for models without an input for it.
  public var itemWeights: ItemWeights?

  /// Random changes of the images in each step, in this order.
  ///
  /// Validation items are not changed. An image that is given as a ``Tensor`` is an error, because its values
  /// are used as they are.
  public var augmentations: [Augmentation] = []

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

  /// The output that determines the best epoch; nil means the first output with a name like `loss`, or else
  /// the first one that is a single number.
  ///
  /// Its mean over the validation items is used, or its mean over the training items if there are
  /// no validation items.
  public var monitoredOutput: String?
  /// Measures the model after the validation of each epoch, such as the accuracy of its predictions on test
  /// photos; nil for no metrics beside the model's outputs.
  ///
  /// A metric that is NaN is no improvement. If the training is cancelled during a measurement, its metrics
  /// aren't used, so it may end early with an error of the type `CancellationError`.
  public var measurement: (@Sendable (TrainableModel) throws -> [EpochMetric])?
  /// How long ``measurement`` takes, as far as it is known before the training.
  package var measurementTime = Duration.zero
  /// The metric of ``measurement`` that determines the best epoch, instead of an output.
  public var monitoredMetric: String?
  /// Whether a higher monitored output or metric is better, as with accuracy.
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

  /// More that decides the results, by name, such as the values of options.
  ///
  /// Checkpoints keep it. A training that continues with other notes says which ones differ.
  package var notes: [String: String] = [:]

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

/// The weights of items in the loss, for a model that takes them as an input.
///
/// ```swift
/// let labels = data.map(\.label)
/// options.itemWeights = ItemWeights(input: "weight", balancing: labels)
/// ```
public struct ItemWeights: Sendable {
  /// The name of the input with one number for each item.
  ///
  /// The items have no value for it themselves.
  public var input: String
  /// Returns the weight of an item of the data, by its index.
  ///
  /// Validation items have the weight 1.
  public var weight: @Sendable (Int) -> Double

  /// Makes weights from a function of an item's index.
  public init(input: String, weight: @escaping @Sendable (Int) -> Double) {
    self.input = input
    self.weight = weight
  }

  /// Makes weights with which all classes count equally, like `class_weight="balanced"` of scikit-learn.
  ///
  /// - Parameters:
  ///   - input: The name of the input.
  ///   - classes: The class of each item.
  public init<Class: Hashable & Sendable>(input: String, balancing classes: [Class]) {
    let counts = classes.reduce(into: [Class: Int]()) { $0[$1, default: 0] += 1 }
    let weights = classes.map { item in
      Double(classes.count) / Double(counts.count * (counts[item] ?? 1))
    }
    self.init(input: input) { weights[$0] }
  }
}

/// A number that was measured after an epoch.
public struct EpochMetric: Sendable, Hashable {
  /// The name, such as `top1`.
  public var name: String
  /// The value.
  public var value: Double

  /// Makes a metric.
  public init(_ name: String, _ value: Double) {
    self.name = name
    self.value = value
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
