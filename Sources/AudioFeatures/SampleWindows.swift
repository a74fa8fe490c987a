// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Cuts a stream of samples into windows that may overlap.
///
/// Samples come in pieces of any length. Each window has `length` samples and starts `step` samples
/// after the one before it.
package struct SampleWindows: Sendable {
  package let length: Int
  package let step: Int
  private var kept: [Float] = []
  /// The number of samples to leave out before the next window, if windows don't touch.
  private var skipped = 0

  /// Makes an empty stream.
  ///
  /// - Parameters:
  ///   - length: The number of samples in a window.
  ///   - step: The number of samples from the start of one window to the start of the next.
  /// - Throws: ``AudioError`` if a number isn't positive.
  package init(length: Int, step: Int) throws(AudioError) {
    try AudioError.check("length", length, 1...(1 << 30))
    try AudioError.check("step", step, 1...(1 << 30))
    self.length = length
    self.step = step
  }

  /// The number of samples that wait for the rest of their window.
  package var waiting: Int { kept.count }

  /// Adds samples, and passes each window that they complete to a closure.
  ///
  /// If the closure throws, the windows after that one are still there, and the next call passes
  /// them.
  package mutating func add(
    _ samples: Span<Float>, _ body: (Span<Float>) throws -> Void
  ) rethrows {
    let left = min(skipped, samples.count)
    skipped -= left
    kept.reserveCapacity(kept.count + samples.count - left)
    for index in left..<samples.count { kept.append(samples[index]) }
    var start = 0
    defer { kept.removeFirst(min(start, kept.count)) }
    while kept.count - start >= length {
      let from = start
      start += step
      if start > kept.count { skipped = start - kept.count }
      try body(kept.span.extracting(from..<(from + length)))
    }
  }

  /// Forgets all samples.
  package mutating func reset() {
    kept.removeAll(keepingCapacity: true)
    skipped = 0
  }
}
