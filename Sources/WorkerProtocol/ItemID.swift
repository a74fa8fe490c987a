// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

/// The identifier of an item, which its answer has unchanged.
package enum ItemID: Hashable, Sendable {
  case text(String)
  case number(Int64)

  /// The most bytes of a text.
  private static let mostBytes = 1024

  /// Reads an identifier; nil for any other value.
  package init?(_ value: JSONValue) {
    switch value {
    case .string(let text) where text.utf8.count <= Self.mostBytes: self = .text(text)
    case .integer(let number): self = .number(number)
    case .number(let number):
      guard let whole = Int64(exactly: number) else { return nil }
      self = .number(whole)
    default: return nil
    }
  }

  /// Texts are equal if their bytes are, and not already if people read the same.
  package static func == (left: ItemID, right: ItemID) -> Bool {
    switch (left, right) {
    case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
    case (.number(let left), .number(let right)): left == right
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .text(let text): for byte in text.utf8 { hasher.combine(byte) }
    case .number(let number): hasher.combine(number)
    }
  }

  package var json: JSONValue {
    switch self {
    case .text(let text): .string(text)
    case .number(let number): .integer(number)
    }
  }
}

extension ItemID: CustomStringConvertible {
  package var description: String {
    switch self {
    case .text(let text): text
    case .number(let number): "\(number)"
    }
  }
}

extension ItemID: Decodable {
  package init(from decoder: any Decoder) throws {
    guard let id = ItemID(try JSONValue(from: decoder)) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "This isn't an item's id."))
    }
    self = id
  }
}
