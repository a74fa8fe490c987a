// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JSONValue {
  /// Returns the document with sorted keys and the shortest exact numbers.
  package func text() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  /// The value with numbers in place of the strings that ``text()`` writes for numbers that aren't
  /// finite, in a single value or in arrays.
  package var readingNumbersThatAreNotFinite: JSONValue {
    switch self {
    case .string("NaN"): .number(.nan)
    case .string("Infinity"): .number(.infinity)
    case .string("-Infinity"): .number(-.infinity)
    case .array(let elements): .array(elements.map(\.readingNumbersThatAreNotFinite))
    default: self
    }
  }

  /// Returns a string, or null for nil.
  package static func stringOrNull(_ text: String?) -> JSONValue {
    text.map(JSONValue.string) ?? .null
  }

  /// Returns a number, or null for nil.
  package static func numberOrNull(_ number: Double?) -> JSONValue {
    number.map(JSONValue.number) ?? .null
  }

  package static func integers(_ values: [Int]) -> JSONValue {
    .array(values.map { .number(Double($0)) })
  }

  package static func floats(_ values: [Float]) -> JSONValue {
    .array(values.map(JSONValue.float))
  }

  package static func strings(_ values: [String]) -> JSONValue {
    .array(values.map(JSONValue.string))
  }

  package static func float(_ value: Float) -> JSONValue { .number(value.shortestDouble) }

  static func colors(_ values: ColorValues) -> JSONValue {
    .object(["r": .float(values.red), "g": .float(values.green), "b": .float(values.blue)])
  }
}
