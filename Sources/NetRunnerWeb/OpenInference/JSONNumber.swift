// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
/// A number as a JSON document writes it, before it is known which type it becomes.
struct JSONNumber {
  /// Whether a minus sign stands before it.
  var isNegative = false
  /// The significant digits as an integer; exact unless ``isLong``.
  var digits: UInt64 = 0
  /// The power of ten that the digits are multiplied by.
  var exponent = 0
  /// Whether it has more digits than an integer of 64 bits holds.
  var isLong = false

  /// The nearest double; nil where only a slower way finds it, see ``JSONScanner``.
  ///
  /// All steps are exact or round once, so the result is what `strtod` gives.
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

  /// The digits divided by a power of ten, to 63 bits or more, of which the last tells whether anything
  /// is left over: that is enough to round once, to the nearest double.
  private var quotient: Double {
    let divisor = Self.powersOfFive[-exponent]
    let (digitShift, divisorShift) = (digits.leadingZeroBitCount, divisor.leadingZeroBitCount)
    let dividend = digits << UInt64(digitShift)
    var (quotient, remainder) = (divisor << UInt64(divisorShift)).dividingFullWidth(
      (dividend >> 1, dividend << 63))
    if remainder != 0 { quotient |= 1 }
    // Half of a power of ten's bits are those of a power of two.
    return Double(
      sign: .plus, exponent: divisorShift - digitShift - 63 + exponent,
      significand: Double(quotient))
  }

  /// The integer that it is; nil for a fraction, and one that the type does not hold.
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

  /// Those that doubles hold exactly.
  private static let powers = (0...22).map { count in
    (0..<count).reduce(1.0) { power, _ in power * 10 }
  }

  /// Those below 2^63.
  private static let powersOfFive = (0...27).map { count in
    (0..<count).reduce(UInt64(1)) { power, _ in power * 5 }
  }
}
#endif
