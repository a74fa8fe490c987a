// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls

/// A placeholder's value over the steps of a training, such as a learning rate that decays.
///
/// The values are those of Keras's `CosineDecay` and of its `ExponentialDecay` with `staircase`. With a
/// warm-up, the value rises from 0 to ``base`` in equal parts, and the decay begins after that.
///
/// ```swift
/// var options = TrainingOptions(epochs: 20)
/// options.schedules["learning_rate"] = ValueSchedule(0.01, .cosine(), warmUpSteps: 100)
/// ```
public struct ValueSchedule: Sendable, Hashable {
  /// How the value changes after the warm-up.
  public enum Decay: Sendable, Hashable {
    /// It stays the same.
    case none
    /// It is multiplied by a factor again and again, each time after so many steps.
    case step(every: Int, factor: Double)
    /// It falls along half a cosine until the last step of the training, to a share of ``base``.
    case cosine(lowest: Double = 0)
  }

  /// The value after the warm-up.
  public var base: Double
  /// How the value changes after the warm-up.
  public var decay: Decay
  /// The number of steps of the warm-up.
  public var warmUpSteps: Int

  /// Makes a schedule.
  public init(_ base: Double, _ decay: Decay = .none, warmUpSteps: Int = 0) {
    self.base = base
    self.decay = decay
    self.warmUpSteps = warmUpSteps
  }

  /// Returns the value in a step.
  ///
  /// - Parameters:
  ///   - step: The step, counted from 0 over all epochs.
  ///   - total: The number of steps of all epochs.
  /// - Returns: The value.
  public func value(inStep step: Int, of total: Int) -> Double {
    if step < warmUpSteps { return base * Double(step) / Double(warmUpSteps) }
    let step = step - warmUpSteps
    switch decay {
    case .none: return base
    case .step(let every, let factor):
      return (0..<(step / max(every, 1))).reduce(base) { value, _ in value * factor }
    case .cosine(let lowest):
      let share = min(1, Double(step) / max(Double(total) - Double(warmUpSteps), 1))
      let height = 0.5 * (1 + cos(Double.pi * share))
      return base * ((1 - lowest) * height + lowest)
    }
  }

  /// Checks that the numbers make sense.
  func check(_ name: String) throws {
    func refuse(_ what: String, _ found: some Any) -> TensorIOError {
      TensorIOError(.invalidOption, "The schedule of '\(name)' needs \(what), got \(found).")
    }
    guard base.isFinite else { throw refuse("a finite value", base) }
    guard warmUpSteps >= 0 else { throw refuse("a warm-up of at least 0 steps", warmUpSteps) }
    switch decay {
    case .none: break
    case .step(let every, let factor):
      guard every >= 1 else { throw refuse("a decay after at least 1 step", every) }
      guard factor > 0, factor.isFinite else { throw refuse("a factor above 0", factor) }
    case .cosine(let lowest):
      guard (0...1).contains(lowest) else { throw refuse("a lowest share from 0 to 1", lowest) }
    }
  }
}
