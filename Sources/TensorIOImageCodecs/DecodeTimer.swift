// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Tells how much of an ``ImageFile``'s way into a tensor is decoding.
///
/// Decoding and resizing take turns, row by row: only who stands between them can tell them apart.
///
/// `@unchecked Sendable` because a picture is written by one thread at a time, and read of after.
package final class DecodeTimer: @unchecked Sendable {
  /// Reading the file and decoding, so far.
  package private(set) var time = Duration.zero
  /// The upright picture's size, once its header was read.
  package internal(set) var size: (width: Int, height: Int)?

  private let clock = ContinuousClock()

  package init() {}

  func measure<Result>(_ body: () throws -> Result) rethrows -> Result {
    let start = clock.now
    defer { time += clock.now - start }
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
