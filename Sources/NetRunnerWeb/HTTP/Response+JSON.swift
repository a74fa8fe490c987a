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
  /// Makes a response with a JSON document, in which `NaN` and infinities are strings.
  static func json(
    _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
  ) throws -> Response {
    .data(try value.encoded(), type: "application/json", status: status, headers: headers)
  }

  /// Makes a response that is saved under a name of ASCII letters, digits, `-`, `_` and `.`.
  static func download(_ data: some Sequence<UInt8>, type: String, name: String) -> Response {
    .data(
      data, type: type, headers: [.contentDisposition: "attachment; filename=\"\(name)\""])
  }
}

extension Encodable {
  /// Returns the document's JSON text, with sorted keys.
  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    return try encoder.encode(self)
  }
}
#endif
