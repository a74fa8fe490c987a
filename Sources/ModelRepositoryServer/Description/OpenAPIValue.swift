// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
/// A part of a JSON document, written as a literal in Swift.
indirect enum OpenAPIValue: Encodable, Sendable, Equatable {
  case text(String)
  case number(Int)
  case flag(Bool)
  case list([OpenAPIValue])
  case object([String: OpenAPIValue])

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .number(let number): try container.encode(number)
    case .flag(let flag): try container.encode(flag)
    case .list(let elements): try container.encode(elements)
    case .object(let members): try container.encode(members)
    }
  }
}

extension OpenAPIValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(stringLiteral value: String) { self = .text(value) }
  init(integerLiteral value: Int) { self = .number(value) }
  init(booleanLiteral value: Bool) { self = .flag(value) }
  init(arrayLiteral elements: OpenAPIValue...) { self = .list(elements) }
  init(dictionaryLiteral elements: (String, OpenAPIValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}
#endif
