// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import Hummingbird
import WebServing

/// A JSON object whose members have different types; a nil in a literal becomes null.
struct JSONObject: Sendable {
  private var members: [String: Member] = [:]

  private struct Member: Sendable, Encodable {
    let value: any Encodable & Sendable

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
  }

  /// Sets a member, or removes it if the value is nil.
  mutating func set(_ name: String, _ value: (some Encodable & Sendable)?) {
    members[name] = value.map { Member(value: $0) }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  init(dictionaryLiteral members: (String, any Encodable & Sendable)...) {
    for (name, value) in members { self.members[name] = Member(value: value) }
  }
}

extension JSONObject: Encodable {
  func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }
}

extension JSONObject: ResponseGenerator {
  func response(from _: Request, context _: some RequestContext) throws -> Response {
    try .json(self)
  }
}

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
