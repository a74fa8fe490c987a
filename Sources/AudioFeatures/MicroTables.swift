// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Functions of integers that ``MicroSpeech`` uses.
enum MicroTables {
  /// Returns Hann's window as integers.
  ///
  /// Its period starts half a sample before the first sample.
  static func window(_ length: Int, bits: Int) -> [Int16] {
    let step = Float(Double.pi * 2 / Double(Float(length)))
    return (0..<length).map { index in
      let value = Float(0.5 - 0.5 * cos(Double(step) * (Double(index) + 0.5)))
      return Int16((Double(value * Float(1 << bits)) + 0.5).rounded(.down))
    }
  }

  /// Returns the square root, rounded to the nearest integer that fits.
  static func squareRoot(of value: UInt64) -> UInt32 {
    let isShort = value >> 32 == 0
    var rest = value
    var root: UInt64 = 0
    var bit: UInt64 = 1 << 62
    while bit > 0 {
      if rest >= root + bit {
        rest -= root + bit
        root = (root >> 1) + bit
      } else {
        root >>= 1
      }
      bit >>= 2
    }
    // The reference rounds in 16 bits if the value has at most 32.
    if rest > root && root != (isShort ? 0xFFFF : 0xFFFF_FFFF) { root += 1 }
    return UInt32(truncatingIfNeeded: root)
  }

  /// The differences between log2(1 + x) and x, for x from 0 to 1 in 128 steps, in 16 bits.
  private static let differences: [Int32] = (0...129).map { index in
    let x = min(Double(index) / 128, 1)
    return Int32((65536 * (log2(1 + x) - x)).rounded())
  }

  /// Returns the natural logarithm of an integer above 1, times 2 to the power of `shift`.
  static func logarithm(of value: UInt32, shift: UInt32) -> UInt32 {
    let digits = UInt32(31 - value.leadingZeroBitCount)
    let above = Int32(bitPattern: value &- (1 << digits))
    let fraction = digits < 16 ? above << Int32(16 - digits) : above >> Int32(digits - 16)
    let segment = fraction >> 9
    let first = differences[Int(segment)]
    let slope = differences[Int(segment) + 1] - first
    let between = (slope &* (fraction - (segment << 9))) >> 16
    let binary = UInt64((digits << 16) + UInt32(bitPattern: fraction + first + between))
    // 45426 is log(2) in 16 bits.
    let natural = UInt32(truncatingIfNeeded: (45426 * binary + 32768) >> 16)
    return ((natural << shift) &+ 32768) >> 16
  }
}
