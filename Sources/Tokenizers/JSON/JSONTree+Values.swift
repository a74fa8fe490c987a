// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension JSONTree {
  /// A string without its escapes.
  func string(_ index: Int) -> [UInt8] {
    let node = nodes[index]
    guard node.hasEscapes else { return Array(bytes[Int(node.start)..<Int(node.end)]) }
    var result: [UInt8] = []
    var high: UInt32 = 0
    var index = Int(node.start)
    while index < Int(node.end) {
      guard bytes[index] == UInt8(ascii: "\\") else {
        result.append(bytes[index])
        index += 1
        continue
      }
      let letter = bytes[index + 1]
      index += 2
      switch letter {
      case UInt8(ascii: "b"): result.append(8)
      case UInt8(ascii: "f"): result.append(12)
      case UInt8(ascii: "n"): result.append(10)
      case UInt8(ascii: "r"): result.append(13)
      case UInt8(ascii: "t"): result.append(9)
      case UInt8(ascii: "u"):
        let unit = bytes.hexadecimal(index..<(index + 4)) ?? 0
        index += 4
        switch unit {
        case 0xD800..<0xDC00: high = unit
        case 0xDC00..<0xE000: result.append(scalar: (high << 10) &+ unit &- 0x35F_DC00)
        default: result.append(scalar: unit)
        }
      default: result.append(letter)
      }
    }
    return result
  }

  /// An integer that isn't negative; nil if a range has anything but digits, or too many.
  func integer(_ range: Range<Int>) -> Int? {
    guard !range.isEmpty, range.count < 19 else { return nil }
    var value = 0
    for index in range {
      guard 48...57 ~= bytes[index] else { return nil }
      value = value * 10 + Int(bytes[index] - 48)
    }
    return value
  }

  /// Computes a number as serde_json does, which differs from the nearest one in the last bit.
  ///
  /// Unigram compares sums of scores, so that a bit can decide which of two tokens is used.
  func number(_ range: Range<Int>) -> Double {
    var significand: UInt64 = 0
    var exponent = 0
    var isNegative = false
    var isFraction = false
    var isFull = false
    var index = range.lowerBound
    digits: while index < range.upperBound {
      let byte = bytes[index]
      index += 1
      switch byte {
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "."): isFraction = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        let isSmall = bytes[index] == UInt8(ascii: "-")
        if isSmall || bytes[index] == UInt8(ascii: "+") { index += 1 }
        let written = min(integer(index..<range.upperBound) ?? 100_000, 100_000)
        exponent += isSmall ? -written : written
        break digits
      default:
        let (product, overflow) = significand.multipliedReportingOverflow(by: 10)
        let (sum, carry) = product.addingReportingOverflow(UInt64(byte - 48))
        isFull = isFull || overflow || carry
        if isFull {
          // Digits that don't fit are ignored, but those of the integer still count.
          exponent += isFraction ? 0 : 1
        } else {
          significand = sum
          exponent -= isFraction ? 1 : 0
        }
      }
    }
    var value = Double(significand)
    while exponent < 0, value != 0 {
      let step = max(exponent, -308)
      value /= Double("1e\(-step)") ?? 1
      exponent -= step
    }
    if exponent > 0, value != 0 { value *= Double("1e\(min(exponent, 400))") ?? .infinity }
    return isNegative ? -value : value
  }
}
