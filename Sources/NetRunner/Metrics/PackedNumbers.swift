// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A lossless array of numbers, which is Base64 of little-endian bytes in JSON.
///
/// It would take a minute to parse 5 million scores that are written as decimal numbers.
struct PackedNumbers<Number: PackableNumber>: Sendable, Hashable {
  var numbers: [Number]

  init(_ numbers: [Number]) { self.numbers = numbers }
}

/// A number with a fixed bit pattern.
protocol PackableNumber: Sendable, Hashable {
  associatedtype Pattern: FixedWidthInteger
  var bitPattern: Pattern { get }
  init(bitPattern: Pattern)
}

extension Float: PackableNumber {}
extension Double: PackableNumber {}

extension PackedNumbers: Codable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    let width = MemoryLayout<Number.Pattern>.size
    guard let bytes = Data(base64Encoded: text), bytes.count.isMultiple(of: width) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "This isn't Base64 of \(width)-byte numbers.")
    }
    numbers = bytes.withUnsafeBytes { bytes in
      (0..<(bytes.count / width)).map { index in
        let pattern = bytes.loadUnaligned(fromByteOffset: index * width, as: Number.Pattern.self)
        return Number(bitPattern: Number.Pattern(littleEndian: pattern))
      }
    }
  }

  func encode(to encoder: any Encoder) throws {
    let patterns = numbers.map(\.bitPattern.littleEndian)
    let text = patterns.withUnsafeBytes { Data($0).base64EncodedString() }
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
