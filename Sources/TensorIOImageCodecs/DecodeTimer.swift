// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CPixelKernels
import TensorIO

/// Measures how much of the time from an ``ImageFile`` to a tensor is spent on decoding.
///
/// Decoding and resizing alternate row by row, so they can only be told apart by measuring in
/// between.
///
/// `@unchecked Sendable` because only one thread at a time decodes an image, and the timer is read
/// afterwards.
package final class DecodeTimer: @unchecked Sendable {
  /// The upright image's size, once its header has been read.
  package internal(set) var size: (width: Int, height: Int)?

  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private let startTicks = pixel_ticks()
  private var ticks: UInt64 = 0

  /// Makes a timer.
  ///
  /// Call this just before the image is read.
  package init() { start = clock.now }

  /// The time spent so far on reading the file and decoding.
  ///
  /// Reading the clock twice per row would take two percent of an image's time. The timer therefore
  /// reads the processor's counter instead, and uses the clock to convert its ticks to time.
  package var time: Duration {
    let all = pixel_ticks().subtractingReportingOverflow(startTicks).partialValue
    guard all > 0, ticks <= all else { return .zero }
    return (clock.now - start) * (Double(ticks) / Double(all))
  }

  func measure<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = pixel_ticks()
    // The counters of two processors may differ slightly, and a thread may move between them.
    defer { ticks += UInt64(max(0, Int64(bitPattern: pixel_ticks() &- before))) }
    return try body()
  }
}

extension DecodeTimer? {
  /// Calls a closure, and measures it if there is a timer.
  func measure<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard let self else { return try body() }
    return try self.measure(body)
  }
}

/// The rows of an image, each of them timed.
struct TimedRows: PixelRows {
  var rows: ImageRows
  let timer: DecodeTimer

  var format: PixelBuffer.Format { rows.format }

  mutating func row(_ y: Int) throws -> UnsafePointer<UInt8> {
    try timer.measure { try rows.row(y) }
  }

  mutating func finish() throws { try timer.measure { try rows.finish() } }
}
