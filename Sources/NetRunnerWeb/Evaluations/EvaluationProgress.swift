// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import NetRunner
import TensorIO

/// How far an evaluation is, and how fast it goes.
struct EvaluationProgress: Sendable {
  /// How far a model is.
  struct Model: Sendable, Hashable {
    let id: String
    var done = 0
    let count: Int
    var failed = 0
  }

  private(set) var models: [Model]
  private var start: (instant: ContinuousClock.Instant, done: Int)?
  private var end: ContinuousClock.Instant?

  /// Rates of less time say nothing.
  private static let leastTime = Duration.milliseconds(200)

  init(models: [String], pictures: Int) {
    self.models = models.map { Model(id: $0, count: pictures) }
  }

  /// Rows that there are.
  var done: Int { models.reduce(0) { $0 + $1.done } }
  /// Rows that are to come.
  var remaining: Int { models.reduce(0) { $0 + $1.count - $1.done } }

  /// Notes a row.
  mutating func add(_ progress: EvaluationRun.Progress, at instant: ContinuousClock.Instant) {
    guard let place = models.firstIndex(where: { $0.id == progress.model }) else { return }
    models[place].done = progress.done
    models[place].failed = progress.failed
    // From the first row on: what goes before it is loading.
    if start == nil { start = (instant, done) }
    end = instant
  }

  /// Pictures a second, over all models; nil where it cannot be said yet.
  var rate: Double? {
    guard let start, let end else { return nil }
    let time = start.instant.duration(to: end)
    guard time >= Self.leastTime, done > start.done else { return nil }
    return Double(done - start.done) / (time / .seconds(1))
  }

  /// The time that the rest takes; nil where it cannot be said yet.
  var secondsLeft: Double? { rate.map { Double(remaining) / $0 } }
}
#endif
