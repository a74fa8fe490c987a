// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

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
  /// Whether the monitored output is better than in every earlier epoch.
  public let isBest: Bool
}
