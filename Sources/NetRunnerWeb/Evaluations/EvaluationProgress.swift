// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import NetRunner
import TensorIO

/// The progress of an evaluation, and its speed.
struct EvaluationProgress: Sendable {
  /// The progress of one model.
  struct Model: Sendable, Hashable {
    let id: String
    var done = 0
    let count: Int
    var failed = 0
  }

  private(set) var models: [Model]
  private var start: (instant: ContinuousClock.Instant, done: Int)?
  private var end: ContinuousClock.Instant?

  /// The shortest time to compute a rate from, because shorter times are unreliable.
  private static let leastTime = Duration.milliseconds(200)

  init(models: [String], pictures: Int) {
    self.models = models.map { Model(id: $0, count: pictures) }
  }

  /// The number of completed rows.
  var done: Int { models.reduce(0) { $0 + $1.done } }
  /// The number of remaining rows.
  var remaining: Int { models.reduce(0) { $0 + $1.count - $1.done } }

  /// Records a row.
  mutating func add(_ progress: EvaluationRun.Progress, at instant: ContinuousClock.Instant) {
    guard let index = models.firstIndex(where: { $0.id == progress.model }) else { return }
    models[index].done = progress.done
    models[index].failed = progress.failed
    // Measure from the first row, because the time before it is spent on loading.
    if start == nil { start = (instant, done) }
    end = instant
  }

  /// Images per second over all models, or nil if it can't be estimated yet.
  var rate: Double? {
    guard let start, let end else { return nil }
    let time = start.instant.duration(to: end)
    guard time >= Self.leastTime, done > start.done else { return nil }
    return Double(done - start.done) / (time / .seconds(1))
  }

  /// The estimated number of seconds until the end, or nil if it can't be estimated yet.
  var secondsLeft: Double? { rate.map { Double(remaining) / $0 } }
}
#endif
