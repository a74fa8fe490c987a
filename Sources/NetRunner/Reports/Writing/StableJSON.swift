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

/// JSON that is byte-for-byte equal for equal values.
struct StableJSON {
  let text: String

  /// Encodes a value on one line, with sorted keys, and infinities and NaN as strings.
  init(_ value: any Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    do {
      text = String(decoding: try encoder.encode(value), as: UTF8.self)
    } catch {
      throw TensorIOError(.internalFault, "The report cannot be written: \(error).", cause: error)
    }
  }

  /// Makes a decoder that reads numbers that aren't finite as they are encoded here.
  static func makeDecoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    return decoder
  }

  init(lines values: [some Encodable]) throws {
    text =
      values.isEmpty
      ? "[]"
      : "[\n" + (try values.map { try StableJSON($0).text }).joined(separator: ",\n") + "\n]"
  }

  init(document members: [String: StableJSON?]) {
    let lines = members.compactMap { key, value in value.map { (key, $0.text) } }
      .sorted { $0.0 < $1.0 }.map { "\"\($0)\": \($1)" }
    text = "{\n" + lines.joined(separator: ",\n") + "\n}\n"
  }
}
