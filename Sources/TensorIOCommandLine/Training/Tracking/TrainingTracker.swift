// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Keeps the numbers of a training, for people who look at them in another program.
protocol TrainingTracker {
  /// Adds the numbers of a step.
  mutating func add(_ step: TrainingStep) throws
  /// Adds the numbers of an epoch.
  mutating func add(_ result: EpochResult) throws
  /// Notes how the training ended.
  mutating func end(_ outcome: TrainingOutcome)
}

/// How a training ended.
enum TrainingOutcome: Sendable {
  case finished, interrupted, failed
}

extension TrainingTracker {
  mutating func end(_ outcome: TrainingOutcome) {}
}

extension TrainingEvents: TrainingTracker {}
