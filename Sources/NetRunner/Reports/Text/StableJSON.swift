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

/// JSON that is equal in every byte for equal values.
struct StableJSON {
  let text: String

  /// A value on one line, with sorted keys.
  ///
  /// - Throws: `TensorIOError`, which is a fault of ours: numbers that are not finite are texts.
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

  /// An array with each element on a line of its own.
  init(lines values: [some Encodable]) throws {
    text =
      values.isEmpty
      ? "[]"
      : "[\n" + (try values.map { try StableJSON($0).text }).joined(separator: ",\n") + "\n]"
  }

  /// A document with each member on a line of its own, in the order of the keys.
  init(document members: [String: StableJSON?]) {
    let lines = members.compactMap { key, value in value.map { (key, $0.text) } }
      .sorted { $0.0 < $1.0 }.map { "\"\($0)\": \($1)" }
    text = "{\n" + lines.joined(separator: ",\n") + "\n}\n"
  }
}
