// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A lossless array of numbers, which is Base64 of little-endian bytes in JSON.
///
/// It would take a minute to parse 5 million scores that are written as decimal numbers.
struct PackedNumbers<Number: Sendable & Hashable & BitwiseCopyable>: Sendable, Hashable {
  var numbers: [Number]

  init(_ numbers: [Number]) { self.numbers = numbers }
}

extension PackedNumbers: Codable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    let width = MemoryLayout<Number>.size
    guard let bytes = Data(base64Encoded: text), bytes.count.isMultiple(of: width) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "This isn't Base64 of \(width)-byte numbers.")
    }
    // All platforms of the package are little-endian, so the bytes in JSON are those in memory.
    numbers = bytes.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: width).map {
        bytes.loadUnaligned(fromByteOffset: $0, as: Number.self)
      }
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(numbers.withUnsafeBytes { Data($0).base64EncodedString() })
  }
}
