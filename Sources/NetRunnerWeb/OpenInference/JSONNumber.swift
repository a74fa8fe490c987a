// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
/// A number in a JSON document, before its type is known.
struct JSONNumber {
  var isNegative = false
  /// The significant digits as an integer, which is exact unless ``isLong`` is true.
  var digits: UInt64 = 0
  /// The power of ten that the digits are multiplied by.
  var exponent = 0
  /// Whether the number has more digits than a 64-bit integer can hold.
  var isLong = false

  /// The nearest double, or nil if only a slower method can find it; see ``JSONScanner``.
  ///
  /// Every step is exact or rounds once, so the result is the same as that of `strtod`.
  var double: Double? {
    guard !isLong else { return nil }
    guard let magnitude else { return nil }
    return isNegative ? -magnitude : magnitude
  }

  private var magnitude: Double? {
    let isSmall = digits <= 1 << 53
    switch exponent {
    case 0: return Double(digits)
    case _ where digits == 0: return 0
    case 1...22 where isSmall: return Double(digits) * Self.powers[exponent]
    case -22...(-1) where isSmall: return Double(digits) / Self.powers[-exponent]
    case -27...(-1): return quotient
    default: return nil
    }
  }

  /// The digits divided by a power of ten.
  ///
  /// The quotient has at least 63 bits, and its last bit is set if there is a remainder. This is
  /// enough to round only once, to the nearest double.
  private var quotient: Double {
    let divisor = Self.powersOfFive[-exponent]
    let (digitShift, divisorShift) = (digits.leadingZeroBitCount, divisor.leadingZeroBitCount)
    let dividend = digits << UInt64(digitShift)
    var (quotient, remainder) = (divisor << UInt64(divisorShift)).dividingFullWidth(
      (dividend >> 1, dividend << 63))
    if remainder != 0 { quotient |= 1 }
    // A power of ten is a power of five times a power of two, which only changes the exponent.
    return Double(
      sign: .plus, exponent: divisorShift - digitShift - 63 + exponent,
      significand: Double(quotient))
  }

  /// Returns the number as an integer, or nil if it is a fraction or doesn't fit the type.
  func integer<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) -> Integer? {
    guard !isLong else { return nil }
    var (digits, exponent) = (digits, exponent)
    guard digits != 0 else { return 0 }
    while exponent < 0, digits.isMultiple(of: 10) {
      (digits, exponent) = (digits / 10, exponent + 1)
    }
    while exponent > 0 {
      let (product, overflows) = digits.multipliedReportingOverflow(by: 10)
      guard !overflows else { return nil }
      (digits, exponent) = (product, exponent - 1)
    }
    guard exponent == 0 else { return nil }
    guard isNegative else { return Integer(exactly: digits) }
    guard digits <= 1 << 63 else { return nil }
    return Integer(exactly: Int64(truncatingIfNeeded: 0 &- digits))
  }

  /// The powers of ten that a double holds exactly.
  private static let powers = (0...22).map { count in
    (0..<count).reduce(1.0) { power, _ in power * 10 }
  }

  /// The powers of five below 2^63.
  private static let powersOfFive = (0...27).map { count in
    (0..<count).reduce(UInt64(1)) { power, _ in power * 5 }
  }
}
#endif
