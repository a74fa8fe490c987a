// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// How magnitudes become logarithms.
package struct LogScale: Sendable {
  /// What 0 decibels stand for.
  package enum Reference: Sendable, Equatable {
    case value(Double)
    /// The largest value of the recording, as with `ref=np.max`.
    case maximum
  }

  /// Whether the logarithm has base 10, and not e.
  private var isDecimal: Bool
  private var multiplier = 1.0
  /// What is added to a value.
  private var offset = 0.0
  /// The smallest value; lower ones are replaced by it.
  private var floor = 0.0
  private var reference = Reference.value(1)
  /// How far results may be below the largest one.
  private var range: Double?

  /// Returns `tf.math.log(x + offset)`.
  package static func natural(plus offset: Double) -> LogScale {
    LogScale(isDecimal: false, offset: offset)
  }

  /// Returns `multiplier * np.log10(x + offset)`.
  package static func decimal(plus offset: Double, times multiplier: Double = 1) -> LogScale {
    LogScale(isDecimal: true, multiplier: multiplier, offset: offset)
  }

  /// Returns `log(max(x, floor))`, as `tf.raw_ops.Mfcc` computes it.
  static func natural(above floor: Double) -> LogScale {
    LogScale(isDecimal: false, floor: floor)
  }

  /// Returns `librosa.power_to_db(x, ref=reference, amin=minimum, top_db=range)`.
  package static func decibels(
    reference: Reference = .value(1), minimum: Double = 1e-10, range: Double? = 80
  ) -> LogScale {
    LogScale(
      isDecimal: true, multiplier: 10, floor: minimum, reference: reference, range: range)
  }

  func check() throws(AudioError) {
    guard max(floor, offset) > 0 else {
      throw AudioError(
        "The logarithm of silence isn't a number. Use a positive 'offset' or 'amin'.")
    }
    try AudioError.check("amin", floor, 0...1e30)
    try AudioError.check("offset", offset, 0...1e30)
    try AudioError.check("multiplier", multiplier, -1e6...1e6)
    if let range { try AudioError.check("top_db", range, 0...1e6) }
    if case .value(let value) = reference { try AudioError.check("ref", value, 0...1e30) }
  }

  func apply(to values: inout [Double], count: Int) {
    for index in 0..<count {
      let value = max(values[index], floor) + offset
      values[index] = multiplier * (isDecimal ? log10(value) : log(value))
    }
  }

  /// Whether a result depends on the whole recording.
  var isRelative: Bool { range != nil || reference != .value(1) }

  /// Completes the results of the whole recording.
  func complete(_ values: inout [Float]) {
    guard isRelative, var largest = values.max() else { return }
    let zero =
      switch reference {
      case .maximum: largest
      case .value(let value): Float(multiplier * log10(max(value, floor)))
      }
    for index in values.indices { values[index] -= zero }
    guard let range else { return }
    largest -= zero
    let smallest = largest - Float(range)
    for index in values.indices where values[index] < smallest { values[index] = smallest }
  }
}
