// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A number of bytes in a form that people read and write, such as "512 MiB".
package struct ByteCount: Hashable, Sendable, CustomStringConvertible {
  package var bytes: Int

  package init(_ bytes: Int) { self.bytes = bytes }

  private static let units: [(name: String, bytes: Int)] = [
    ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10),
  ]

  /// The number in the largest unit that it reaches, with at most one decimal place.
  package var description: String {
    guard let unit = Self.units.first(where: { bytes >= $0.bytes }) else {
      return bytes == 1 ? "1 byte" : "\(bytes) bytes"
    }
    let tenths = Int((Double(bytes) / Double(unit.bytes) * 10).rounded())
    return "\(tenths / 10)\(tenths % 10 == 0 ? "" : ".\(tenths % 10)") \(unit.name)"
  }

  /// Parses a number of bytes, or a number with the unit KiB, MiB or GiB (or K, M, G).
  ///
  /// The unit is case-insensitive, and a space may precede it.
  package init?(parsing text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text.dropFirst(digits.count).drop { $0 == " " }.lowercased()
    guard let number = Int(digits) else { return nil }
    let factor: Int
    switch unit {
    case "", "b": factor = 1
    case "k", "kb", "kib": factor = 1 << 10
    case "m", "mb", "mib": factor = 1 << 20
    case "g", "gb", "gib": factor = 1 << 30
    default: return nil
    }
    let (product, overflows) = number.multipliedReportingOverflow(by: factor)
    guard !overflows else { return nil }
    bytes = product
  }
}
