// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// What one step of a ``Trainer`` gave.
public struct TrainingStep: Sendable {
  /// The epoch, counted from 1.
  public let epoch: Int
  /// The step in the epoch, counted from 1.
  public let step: Int
  /// The number of steps in every epoch.
  public let stepsPerEpoch: Int
  /// The number of items in the step.
  public let items: Int
  /// The outputs of the step that are numbers; the mean over its items where they are each item's.
  public let means: OutputMeans
  /// All outputs of the step.
  public let outputs: ModelOutputs
  /// How many steps a second the epoch has made so far.
  public let stepsPerSecond: Double
}

/// What one epoch of a ``Trainer`` gave.
public struct EpochResult: Sendable {
  /// The epoch, counted from 1.
  public let epoch: Int
  /// The number of steps.
  public let steps: Int
  /// The number of items that were trained on.
  public let items: Int
  /// How long it took, with the validation.
  public let duration: Duration
  /// The means of the training steps' outputs over all items, as each step gave them.
  public let training: OutputMeans
  /// All outputs of the last step.
  public let lastOutputs: ModelOutputs
  /// The means over the validation items after the epoch; nil without such items.
  public let validation: OutputMeans?
  /// Whether no epoch before had as good a monitored output.
  public let isBest: Bool
}
