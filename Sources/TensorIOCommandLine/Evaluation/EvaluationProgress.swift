// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelCommands
import NetRunner
import TensorIO

/// The progress of an evaluation on the terminal: a bar for each model, with rate and time left.
struct EvaluationProgress {
  private var bar = ProgressBar(total: 1)
  private var rate = Rate()
  private var model: String?

  mutating func show(_ progress: EvaluationRun.Progress) {
    if model != progress.model {
      bar.end()
      model = progress.model
      bar = ProgressBar(total: progress.count)
      rate = Rate()
    }
    guard Console.messagesGoToTerminal else { return }
    var note = "  \(progress.model.printable.prefix(24))"
    if progress.judged > 0 {
      note += "  top1 \((Double(progress.correct) / Double(progress.judged)).fixed(3))"
    }
    if progress.failed > 0 { note += "  \(progress.failed) failed" }
    bar.show(progress.done, note: note + rate.note(progress.done, of: progress.count))
  }

  func end() { bar.end() }
}

/// The rate of some work, and the time that the rest takes.
struct Rate {
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private let first: Int

  /// Starts the clock.
  ///
  /// - Parameter first: The number that was done before.
  init(from first: Int = 0) {
    start = clock.now
    self.first = first
  }

  /// Returns a note such as `  120.3/s, 14 s left`.
  func note(_ done: Int, of count: Int) -> String {
    let seconds = (clock.now - start).milliseconds / 1000
    guard seconds > 0.2, done > first else { return "" }
    let rate = Double(done - first) / seconds
    return "  \(rate.fixed(1))/s, \(Self.text(seconds: Double(count - done) / rate)) left"
  }

  /// Returns a text such as `14 s`, `3 min` or `2.1 h`.
  static func text(seconds: Double) -> String {
    if seconds < 90 { return "\(seconds.fixed(0)) s" }
    if seconds < 5400 { return "\((seconds / 60).fixed(0)) min" }
    return "\((seconds / 3600).fixed(1)) h"
  }
}
