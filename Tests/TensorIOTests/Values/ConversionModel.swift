// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

@testable import TensorIO

/// The expected results of number conversions, computed in a different way from the library:
/// integers with 128 bits, floating-point numbers as exact doubles compared with their neighbours.
enum ExactNumber: Equatable {
  case integer(Int128)
  case floating(Double)

  init<Number: TensorNumber>(_ number: Number) {
    if let integer = number as? any FixedWidthInteger {
      self = .integer(Int128(integer))
    } else {
      self = .floating(number.float64)
    }
  }

  /// Whether a result is correct: it must be nil where the library must reject the number.
  func isRight<Number: TensorNumber>(_ result: Number?, as type: Number.Type) -> Bool {
    if let integers = Number.self as? any FixedWidthInteger.Type {
      let expected = expectedInteger(in: integers)
      return result.map { ExactNumber($0) } == expected.map { .integer($0) }
    }
    return isRightFloat(result?.float64, of: Number.format)
  }

  private func expectedInteger<Integer: FixedWidthInteger>(in type: Integer.Type) -> Int128? {
    let value: Int128
    switch self {
    case .integer(let integer): value = integer
    case .floating(let number):
      guard number.magnitude < 0x1p100, number.rounded(.down) == number else { return nil }
      value = Int128(number)
    }
    return value >= Int128(Integer.min) && value <= Int128(Integer.max) ? value : nil
  }

  private func isRightFloat(_ result: Double?, of format: FloatFormat) -> Bool {
    switch self {
    case .integer(let integer):
      var odd = integer.magnitude
      while odd != 0, odd.isMultiple(of: 2) { odd /= 2 }
      let isExact =
        odd < UInt128(1) << format.significantBits && Double(integer).magnitude <= format.greatest
      return isExact ? result == Double(integer) : result == nil
    case .floating(let number):
      if number.isNaN { return result?.isNaN == true }
      if number.isInfinite || number == 0 {
        return result == number && result?.sign == number.sign
      }
      // Beyond the midpoint between the greatest number and the next one, rounding gives infinity.
      let limit = format.greatest + format.spacing(at: format.greatest) / 2
      guard number.magnitude < limit || limit.isInfinite else { return result == nil }
      guard let result, result.isFinite, format.holds(result) else { return false }
      let distance = (result - number).magnitude
      let half = format.spacing(at: number.magnitude) / 2
      return distance < half || (distance == half && format.isEven(result))
        || (distance == 0)
    }
  }
}

/// The numbers that a floating-point type can represent.
struct FloatFormat {
  let significantBits: Int
  let greatest: Double
  let leastExponent: Int

  /// The distance between two numbers of the type around a magnitude.
  func spacing(at magnitude: Double) -> Double {
    let exponent = max(Int(magnitude.exponent), leastExponent)
    return scaled(exponent - significantBits + 1)
  }

  /// Whether a number is a multiple of its spacing.
  func holds(_ number: Double) -> Bool {
    number.magnitude <= greatest
      && (number == 0 || number.remainder(dividingBy: spacing(at: number.magnitude)) == 0)
  }

  /// Whether the last bit of a number is 0.
  func isEven(_ number: Double) -> Bool {
    number == 0 || number.remainder(dividingBy: 2 * spacing(at: number.magnitude)) == 0
  }

  private func scaled(_ exponent: Int) -> Double {
    Double(sign: .plus, exponent: exponent, significand: 1)
  }
}

extension TensorNumber {
  static var format: FloatFormat {
    switch Self.self {
    case is Float16.Type: FloatFormat(significantBits: 11, greatest: 65504, leastExponent: -14)
    case is Float.Type:
      FloatFormat(significantBits: 24, greatest: 0x1.fffffep127, leastExponent: -126)
    default:
      FloatFormat(significantBits: 53, greatest: .greatestFiniteMagnitude, leastExponent: -1022)
    }
  }

  /// Numbers that are often converted incorrectly, and random ones of every magnitude.
  static func samples(_ count: Int, seed: UInt64) -> [Self] {
    var generator = SplitMix64(seed: seed)
    var samples: [Self] = []
    let edges: [Double] =
      [0, -0.0, 0.5, 1, 1.5, -0.25, 255.5, 65504, 65519, 65520, 65535, 1e300, 1e-300, 1e-46]
      + [7, 8, 11, 12, 15, 16, 24, 25, 31, 32, 53, 54, 63, 64].flatMap { (bits: Int) in
        let power = Double(sign: .plus, exponent: bits, significand: 1)
        return [power - 1, power, power + 1, power.nextDown, power.nextUp]
      } + [.nan, .infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude]
    for edge in edges {
      for value in [edge, -edge] {
        if let sample = Self(rounding: value) { samples.append(sample) }
      }
    }
    for _ in 0..<count {
      let bits = generator.next()
      let width = bits % 64
      let integer = Int64(bitPattern: generator.next()) >> Int64(width)
      if let sample = Self(exactlyInteger: integer) { samples.append(sample) }
      if let sample = Self(rounding: Double(bitPattern: bits)) { samples.append(sample) }
      if let sample = Self(rounding: Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))) {
        samples.append(sample)
      }
      if let sample = Self(rounding: Double(integer) / 256) { samples.append(sample) }
    }
    return samples + limits
  }

  private static var limits: [Self] {
    guard let type = Self.self as? any FixedWidthInteger.Type else { return [] }
    func values<Integer: FixedWidthInteger>(_ type: Integer.Type) -> [Integer] {
      [.min, .min + 1, .max, .max - 1, .max / 2, .max / 2 + 1, .max / 2 + 2, .max / 2 + 1025]
    }
    return values(type) as? [Self] ?? []
  }
}
