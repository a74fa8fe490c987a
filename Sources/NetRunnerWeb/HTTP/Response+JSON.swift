// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import Hummingbird
import TensorIO
import WebServing

extension Response {
  /// Makes a response with a JSON document.
  ///
  /// Numbers that JSON can't represent become the strings `NaN`, `Infinity` and `-Infinity`.
  static func json(
    _ value: JSONValue, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
  ) throws -> Response {
    .data(try value.encoded(), type: "application/json", status: status, headers: headers)
  }

  /// Makes a response that the browser saves as a file.
  ///
  /// The name may contain only ASCII letters, digits, `-`, `_` and `.`.
  static func download(_ data: some Sequence<UInt8>, type: String, name: String) -> Response {
    .data(
      data, type: type, headers: [.contentDisposition: "attachment; filename=\"\(name)\""])
  }
}

extension JSONValue {
  /// Returns the document's JSON text, with sorted keys.
  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    return try encoder.encode(self)
  }

  static func count(_ number: Int) -> JSONValue { .integer(Int64(number)) }

  /// Makes a string, or null if the text is nil.
  static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  /// Makes a number of milliseconds, rounded to the microsecond.
  static func milliseconds(_ duration: Duration) -> JSONValue {
    .number((duration / .milliseconds(1) * 1000).rounded() / 1000)
  }
}
#endif
