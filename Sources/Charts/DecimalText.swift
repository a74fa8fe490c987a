// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A human-readable number with a fixed number of decimals, optionally with a plus sign.
///
/// Foundation's formatting depends on the locale, but reports must look the same everywhere.
package struct DecimalText: CustomStringConvertible {
  package let description: String

  /// Formats a number with this many decimals; very large numbers are written as they are.
  package init(_ value: Double, digits: Int, showsPlus: Bool = false) {
    let places = min(max(digits, 0), 9)
    let scale = (0..<places).reduce(1.0) { product, _ in product * 10 }
    let scaled = (value.magnitude * scale).rounded()
    guard scaled < 0x1p53 else {
      description = value.description
      return
    }
    let all = String(UInt64(scaled))
    let padded = String(repeating: "0", count: max(0, places + 1 - all.count)) + all
    let sign = scaled == 0 ? "" : value < 0 ? "-" : showsPlus ? "+" : ""
    let whole = padded.dropLast(places)
    description = sign + whole + (places > 0 ? "." + padded.suffix(places) : "")
  }

  /// Formats a number with as many decimals as it needs, up to the given number.
  package init(_ value: Double, atMost digits: Int) {
    let text = Self(value, digits: digits).description
    guard text.contains("."), !text.contains("e") else {
      description = text
      return
    }
    let end = text.lastIndex { $0 != "0" } ?? text.startIndex
    description = String(text[end] == "." ? text[..<end] : text[...end])
  }

  /// Formats an integer with commas between the thousands.
  package init(grouping value: Int) {
    var text = ""
    for (place, digit) in String(value.magnitude).reversed().enumerated() {
      if place > 0, place % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    description = (value < 0 ? "-" : "") + String(text.reversed())
  }

  /// Formats milliseconds with three or four significant digits.
  package init(milliseconds value: Double) {
    let digits =
      switch value.magnitude {
      case 100...: 0
      case 10...: 1
      case 1...: 2
      default: 3
      }
    self.init(value, digits: digits)
  }

  /// Formats a p-value as the end of an equation: "= 0.012", or "< 0.0001" for very small values.
  package init(probability value: Double) {
    description = value < 0.0001 ? "< 0.0001" : "= \(Self(value, digits: value < 0.01 ? 4 : 3))"
  }
}
