// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A JSON document as a tree.
public enum JSONValue: Sendable, Hashable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number.
  case number(Double)
  /// An integer that a double cannot hold.
  case integer(Int64)
  /// Text.
  case string(String)
  /// Values in order.
  case array([JSONValue])
  /// Values by name.
  case object([String: JSONValue])

  /// Parses a document, which may have trailing commas.
  ///
  /// - Throws: ``JSONSyntaxError`` with the line and column.
  package init(parsing data: Data) throws {
    do {
      self = try JSONDecoder().decode(JSONValue.self, from: data)
    } catch let error as DecodingError {
      throw JSONSyntaxError(in: data, cause: error)
    }
  }

  /// A readable name for the value's type.
  package var typeName: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .number, .integer: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

extension JSONValue: Codable {
  public init(from decoder: any Decoder) throws {
    // A decoder does not tell which type comes next, so each type is tried, and a failure only
    // means that it is another type. A failure is slow, so the most frequent types come first.
    let container = try decoder.singleValueContainer()
    let failure: any Error
    do {
      let number = try container.decode(Double.self)
      if !number.isFinite, let text = try? container.decode(String.self) {
        // A decoder may be configured to read strings such as "NaN" as numbers. Here they stay
        // strings.
        self = .string(text)
      } else if number.magnitude >= 0x1p53, let integer = try? container.decode(Int64.self),
        Double(exactly: integer) == nil
      {
        self = .integer(integer)
      } else {
        self = .number(number)
      }
      return
    } catch {
      failure = error
    }
    if let text = try? container.decode(String.self) {
      self = .string(text)
    } else if let bool = try? container.decode(Bool.self) {
      self = .bool(bool)
    } else if container.decodeNil() {
      self = .null
    } else if let container = try? decoder.container(keyedBy: MemberKey.self) {
      var members: [String: JSONValue] = [:]
      for key in container.allKeys {
        members[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
      }
      self = .object(members)
    } else if var container = try? decoder.unkeyedContainer() {
      var elements: [JSONValue] = []
      while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
      self = .array(elements)
    } else {
      // A number that a Double cannot hold.
      throw failure
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let bool): try container.encode(bool)
    case .number(let number):
      if let integer = Int64(exactly: number), integer != 0 || number.sign == .plus {
        try container.encode(integer)
      } else {
        try container.encode(number)
      }
    case .integer(let integer): try container.encode(integer)
    case .string(let text): try container.encode(text)
    case .array(let elements): try container.encode(elements)
    case .object(let members): try container.encode(members)
    }
  }

  /// A key of an object, which can be any text.
  package struct MemberKey: CodingKey {
    package let stringValue: String
    package var intValue: Int? { nil }
    package init(stringValue: String) { self.stringValue = stringValue }
    package init?(intValue: Int) { nil }
  }
}

/// A syntax error in JSON, with the position of the first fault.
package struct JSONSyntaxError: Error, Sendable, Equatable {
  /// The line, counted from 1.
  package let line: Int
  /// The column in characters, counted from 1.
  package let column: Int
  /// What was found and what was expected.
  package let reason: String

  /// Finds the fault in a document that Foundation's decoder has rejected.
  ///
  /// The decoder does not report a position, so a second pass over the bytes looks for it.
  init(in data: Data, cause: DecodingError) {
    var scanner = JSONFaultScanner(bytes: Array(data))
    do throws(JSONFaultScanner.Fault) {
      _ = try scanner.document()
      (line, column) = (1, 1)
      reason = "the document is not valid JSON (\(cause))"
    } catch {
      let before = data.prefix(error.offset)
      line = before.count { $0 == UInt8(ascii: "\n") } + 1
      let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? data.startIndex
      column = String(decoding: data[lineStart..<before.endIndex], as: UTF8.self).count + 1
      reason = error.reason
    }
  }
}

extension JSONSyntaxError: CustomStringConvertible {
  package var description: String { "line \(line), column \(column): \(reason)" }
}
