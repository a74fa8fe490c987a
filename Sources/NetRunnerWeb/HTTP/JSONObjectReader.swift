// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import TensorIO

/// Reads the members of a JSON object, and throws errors that name the member.
struct JSONObjectReader {
  private let members: [String: JSONValue]
  private let owner: String

  /// Reads an object, whose description `owner` starts a sentence in error messages.
  init(_ value: JSONValue, _ owner: String) throws {
    guard case .object(let members) = value else {
      throw WebError.badRequest("\(owner) must be an object, not \(value.typeName).")
    }
    self.members = members
    self.owner = owner
  }

  subscript(name: String) -> JSONValue? { members[name] }

  func text(_ name: String) throws -> String? {
    try member(name, "a string") { if case .string(let text) = $0 { text } else { nil } }
  }

  func bool(_ name: String) throws -> Bool? {
    try member(name, "true or false") { if case .bool(let bool) = $0 { bool } else { nil } }
  }

  func integer(_ name: String, in range: ClosedRange<Int>? = nil) throws -> Int? {
    let number = try member(name, "a whole number", Self.integer)
    guard let number, let range, !range.contains(number) else { return number }
    throw WebError.badRequest(
      "'\(name)' must be a whole number from \(range.lowerBound) to \(range.upperBound).")
  }

  func integers(_ name: String) throws -> [Int] {
    try array(name, isRequired: true).map { value in
      guard let integer = Self.integer(value) else {
        let found = value.asNumber.map { "\($0)" } ?? value.typeName
        throw WebError.badRequest("'\(name)' must contain only whole numbers, not \(found).")
      }
      return integer
    }
  }

  func object(_ name: String) throws -> JSONObjectReader? {
    guard let value = members[name], value != .null else { return nil }
    return try JSONObjectReader(value, "'\(name)'")
  }

  func array(_ name: String, isRequired: Bool = false) throws -> [JSONValue] {
    switch members[name] {
    case .array(let values)?: return values
    case nil where !isRequired: return []
    case nil: throw WebError.badRequest("\(owner) is missing '\(name)'.")
    case let value?: throw wrong(name, "an array", value)
    }
  }

  /// Returns a member, or nil if it is missing or null.
  private func member<Value>(
    _ name: String, _ expected: String, _ read: (JSONValue) -> Value?
  ) throws -> Value? {
    guard let value = members[name], value != .null else { return nil }
    guard let result = read(value) else { throw wrong(name, expected, value) }
    return result
  }

  private static func integer(_ value: JSONValue) -> Int? {
    switch value {
    case .number(let number): Int(exactly: number)
    case .integer(let integer): Int(exactly: integer)
    default: nil
    }
  }

  private func wrong(_ name: String, _ expected: String, _ value: JSONValue) -> WebError {
    .badRequest("'\(name)' must be \(expected), not \(value.typeName).")
  }
}
#endif
