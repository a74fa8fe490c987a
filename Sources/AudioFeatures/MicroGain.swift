// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The automatic gain of ``MicroSpeech`` (PCAN: per-channel amplitude normalization).
///
/// The gain is a power of the noise. A table has its quadratic interpolation between powers of two.
struct MicroGain: Sendable {
  /// For each number of binary digits of the noise: the value at the start of the interval, and the
  /// linear and the quadratic coefficient.
  private let table: [(start: Int32, linear: Int32, square: Int32)]
  private let low: [Int32]
  private let shift: UInt64

  private static let snrBits = 12
  private static let outputBits: UInt32 = 6

  init(_ parameters: MicroSpeechFeatures, _ correctionBits: Int) throws(AudioError) {
    let shift = parameters.gainBits - correctionBits - Self.snrBits
    let inputBits = parameters.smoothingBits - correctionBits
    guard (0...63).contains(shift), (0...31).contains(inputBits) else {
      throw AudioError(
        "'gain_bits' must be at least \(correctionBits + Self.snrBits), and 'smoothing_bits' at "
          + "least \(correctionBits), for windows of this length. They are "
          + "\(parameters.gainBits) and \(parameters.smoothingBits).")
    }
    func gain(_ noise: UInt32) -> Int32 {
      let input = Float(noise) / Float(UInt32(1) << UInt32(inputBits))
      let gain =
        Float(UInt32(1) << UInt32(parameters.gainBits))
        * powf(input + parameters.pcanOffset, -parameters.pcanStrength)
      return gain > 32767 ? 32767 : Int32(gain + 0.5)
    }
    self.shift = UInt64(shift)
    low = [gain(0), gain(1)]
    table = (0...32).map { digits in
      guard digits >= 2 else { return (0, 0, 0) }
      let first = UInt32(1) << UInt32(digits - 1)
      let last = digits == 32 ? first + (first - 1) : 2 * first
      let start = gain(first)
      let half = gain(first + (first >> 1)) - start
      let full = gain(last) - start
      let linear = Int16(truncatingIfNeeded: 4 * half - full)
      let square = Int16(truncatingIfNeeded: 2 * full - 4 * half)
      return (start, Int32(linear), Int32(square))
    }
  }

  func apply(_ signal: UInt32, noise: UInt32) -> UInt32 {
    let gain = UInt32(bitPattern: interpolated(noise))
    let ratio = UInt32(truncatingIfNeeded: (UInt64(signal) &* UInt64(gain)) >> shift)
    // Small ratios are squared, and large ones are reduced by a constant.
    if ratio < 2 << Self.snrBits {
      return (ratio &* ratio) >> (2 + 2 * UInt32(Self.snrBits) - Self.outputBits)
    }
    return (ratio >> (UInt32(Self.snrBits) - Self.outputBits)) - (1 << Self.outputBits)
  }

  private func interpolated(_ noise: UInt32) -> Int32 {
    if noise < 2 { return low[Int(noise)] }
    let digits = 32 - noise.leadingZeroBitCount
    let entry = table[digits]
    if noise == 2 { return entry.start }
    let aligned = digits < 11 ? noise << UInt32(11 - digits) : noise >> UInt32(digits - 11)
    let fraction = Int32(aligned & 0x3FF)
    var result = (entry.square &* fraction) >> 5
    result = (result &+ (entry.linear << 5)) &* fraction
    result = ((result &+ (1 << 14)) >> 15) &+ entry.start
    return Int32(Int16(truncatingIfNeeded: result))
  }
}
