// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird

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
#endif
