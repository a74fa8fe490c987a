// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelCommands
import ModelTools
import TensorIO

/// The progress on the terminal of work with several models: a bar for each, with rate and time left.
struct ModelProgress {
  private var bar = ProgressBar(total: 1)
  private var model: String?
  private let clock = ContinuousClock()
  /// When the model's first image was begun.
  private var start = ContinuousClock.now
  /// How many images an earlier run did.
  private var first = 0

  /// Shows how many images of a model are done, of which an earlier run did some.
  ///
  /// The accuracy is the share of right answers so far; nil if no image has a label.
  mutating func show(
    _ model: String, _ done: Int, of count: Int, doneBefore: Int = 0, accuracy: Double? = nil,
    failed: Int
  ) {
    if self.model != model {
      bar.end()
      self.model = model
      bar = ProgressBar(total: count)
      (start, first) = (clock.now, doneBefore)
    }
    bar.total = count
    guard Console.messagesGoToTerminal else { return }
    var note = "  \(model.printable.prefix(24))"
    if let accuracy { note += "  top1 \(accuracy.fixed(3))" }
    if failed > 0 { note += "  \(failed) failed" }
    let seconds = (clock.now - start).milliseconds / 1000
    if seconds > 0.2, done > first {
      let rate = Double(done - first) / seconds
      note += "  \(rate.fixed(1))/s, \(Self.text(seconds: Double(count - done) / rate)) left"
    }
    bar.show(done, note: note)
  }

  func end() { bar.end() }

  /// Returns a text such as `14 s`, `3 min` or `2.1 h`.
  private static func text(seconds: Double) -> String {
    if seconds < 90 { return "\(seconds.fixed(0)) s" }
    if seconds < 5400 { return "\((seconds / 60).fixed(0)) min" }
    return "\((seconds / 3600).fixed(1)) h"
  }
}
