// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
/// The name of a model, a version, a channel or a variant.
///
/// A name has 1 to 100 characters of `A-Z a-z 0-9 . _ -` and starts with a letter or digit.
///
/// Such a name is safe in a path, a URL and a log.
public struct RepositoryName: Sendable, Hashable {
  /// The name.
  public let text: String

  /// Checks a name, or returns nil if it is invalid.
  public init?(_ text: String) {
    let bytes = text.utf8
    guard (1...100).contains(bytes.count), let first = bytes.first, Self.isAlphanumeric(first),
      bytes.allSatisfy({ Self.isAlphanumeric($0) || [0x2E, 0x5F, 0x2D].contains($0) })
    else { return nil }
    self.text = text
  }

  private init(checked text: String) { self.text = text }

  /// The channel `stable`, which clients follow by default.
  public static let stable = RepositoryName(checked: "stable")

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }
}

extension RepositoryName: CustomStringConvertible, Comparable {
  /// The name.
  public var description: String { text }

  /// Compares names by their bytes.
  public static func < (left: RepositoryName, right: RepositoryName) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}

extension RepositoryName: Codable {
  /// Reads a string.
  public init(from decoder: any Decoder) throws {
    self = try decoder.text(
      "A name must have 1 to 100 letters, digits, '.', '_' or '-', and begin with a letter or a "
        + "digit."
    ) { RepositoryName($0) }
  }

  /// Writes a string.
  public func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}

extension Decoder {
  /// Decodes a string and reads a value from it.
  ///
  /// If `read` returns nil, the error's message is the requirement.
  func text<Value>(_ requirement: String, _ read: (String) -> Value?) throws -> Value {
    guard let value = read(try singleValueContainer().decode(String.self)) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: codingPath, debugDescription: requirement))
    }
    return value
  }
}
#endif
