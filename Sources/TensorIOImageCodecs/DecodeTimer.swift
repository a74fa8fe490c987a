// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CPixelKernels
import TensorIO

/// Tells how much of an ``ImageFile``'s way into a tensor is decoding.
///
/// Decoding and resizing take turns, row by row: only who stands between them can tell them apart.
///
/// `@unchecked Sendable` because a picture is written by one thread at a time, and read of after.
package final class DecodeTimer: @unchecked Sendable {
  /// The upright picture's size, once its header was read.
  package internal(set) var size: (width: Int, height: Int)?

  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private let startTicks = pixel_ticks()
  private var ticks: UInt64 = 0

  /// Makes a timer, just before the picture is read.
  package init() { start = clock.now }

  /// Reading the file and decoding, so far.
  ///
  /// Two readings of the clock for each row would be two percent of a picture's time, so the
  /// processor's counter is read, and the clock tells what its ticks are worth.
  package var time: Duration {
    let all = pixel_ticks().subtractingReportingOverflow(startTicks).partialValue
    guard all > 0, ticks <= all else { return .zero }
    return (clock.now - start) * (Double(ticks) / Double(all))
  }

  func measure<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = pixel_ticks()
    // Processors' counters may be apart by a little: a thread may move from one to the other.
    defer { ticks += UInt64(max(0, Int64(bitPattern: pixel_ticks() &- before))) }
    return try body()
  }
}

extension DecodeTimer? {
  /// Calls a closure, and measures it where there is a timer.
  func measure<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard let self else { return try body() }
    return try self.measure(body)
  }
}

/// A picture's rows, each timed.
struct TimedRows: PixelRows {
  private var rows: ImageRows
  private let timer: DecodeTimer

  init(_ rows: ImageRows, _ timer: DecodeTimer) {
    self.rows = rows
    self.timer = timer
  }

  var width: Int { rows.width }
  var height: Int { rows.height }
  var format: PixelBuffer.Format { rows.format }

  mutating func row(_ y: Int) throws -> UnsafePointer<UInt8> {
    try timer.measure { try rows.row(y) }
  }

  mutating func finish() throws { try timer.measure { try rows.finish() } }
}
