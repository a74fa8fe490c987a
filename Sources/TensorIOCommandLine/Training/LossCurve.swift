// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelCommands
import TensorIO

/// The loss of a training run, over steps and epochs.
struct LossCurve {
  /// A point in the plot: the step on the horizontal axis, and the loss on the vertical one.
  struct Point: Hashable {
    var step: Double
    var value: Double
  }

  private(set) var name = ""
  /// The mean of each step.
  private(set) var steps: [Point] = []
  /// The mean of each epoch, at the step where the epoch ended.
  private(set) var training: [Point] = []
  /// The mean of each epoch over the validation items.
  private(set) var validation: [Point] = []

  /// The number of steps so far.
  private(set) var count = 0

  var isEmpty: Bool { steps.isEmpty }

  /// The most points that are drawn; more than an image has columns would hide each other.
  private static let mostSteps = 1000

  mutating func add(_ step: TrainingStep) {
    count += 1
    guard let mean = step.means.loss else { return }
    name = mean.name
    if mean.value.isFinite { steps.append(Point(step: Double(count), value: mean.value)) }
  }

  mutating func add(_ result: EpochResult) {
    if let mean = result.training.loss, mean.value.isFinite {
      training.append(Point(step: Double(count), value: mean.value))
    }
    if let mean = result.validation?.loss, mean.value.isFinite {
      validation.append(Point(step: Double(count), value: mean.value))
    }
  }

  /// The steps, or the means of as many parts as an image can show.
  var thinned: [Point] {
    let width = (steps.count + Self.mostSteps - 1) / Self.mostSteps
    guard width > 1 else { return steps }
    return stride(from: 0, to: steps.count, by: width).map { start in
      let part = steps[start..<min(start + width, steps.count)]
      let count = Double(part.count)
      // Divide before adding, because the sum of very large values could be infinite.
      return Point(
        step: part.reduce(0) { $0 + $1.step } / count,
        value: part.reduce(0) { $0 + $1.value / count })
    }
  }
}
