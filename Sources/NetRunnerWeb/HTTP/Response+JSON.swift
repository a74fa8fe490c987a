// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TensorIO

extension Response {
  /// An answer that is a JSON document.
  ///
  /// Numbers that JSON cannot write are the texts `NaN`, `Infinity` and `-Infinity`.
  static func json(
    _ value: JSONValue, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
  ) throws -> Response {
    .data(try value.encoded(), type: "application/json", status: status, headers: headers)
  }

  /// An answer of bytes.
  static func data(
    _ data: some Sequence<UInt8>, type: String, status: HTTPResponse.Status = .ok,
    headers: HTTPFields = [:]
  ) -> Response {
    let buffer = ByteBuffer(bytes: data)
    var headers = headers
    headers[.contentType] = type
    return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: buffer))
  }

  /// A file that the browser saves.
  ///
  /// The name has ASCII letters, digits, `-`, `_` and `.` only.
  static func download(_ data: some Sequence<UInt8>, type: String, name: String) -> Response {
    .data(
      data, type: type, headers: [.contentDisposition: "attachment; filename=\"\(name)\""])
  }
}

extension JSONValue {
  /// The document's text, with sorted keys.
  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    return try encoder.encode(self)
  }

  /// A whole number.
  static func count(_ number: Int) -> JSONValue { .integer(Int64(number)) }

  /// A text, or null.
  static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  /// A duration in milliseconds, to the microsecond.
  static func milliseconds(_ duration: Duration) -> JSONValue {
    .number((duration / .milliseconds(1) * 1000).rounded() / 1000)
  }
}
#endif
