// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Reads the keys of a `decode` field, whose forms have been checked with the bundle.
struct DecodingOptions {
  let decoding: OutputDecoding

  func text(_ key: String) -> String? {
    if case .string(let text)? = decoding.options[key] { text } else { nil }
  }

  func flag(_ key: String) -> Bool? {
    if case .bool(let flag)? = decoding.options[key] { flag } else { nil }
  }

  func number(_ key: String) -> Double? { decoding.options[key]?.asNumber }

  func float(_ key: String) -> Float? { number(key).map { Float($0) } }

  func count(_ key: String) -> Int? { number(key).flatMap { Int(exactly: $0) } }

  func numbers(_ key: String) -> [Double]? {
    guard case .array(let elements)? = decoding.options[key] else { return nil }
    return elements.compactMap(\.asNumber)
  }

  func texts(_ key: String) -> [String]? {
    guard case .array(let elements)? = decoding.options[key] else { return nil }
    return elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }

  /// The names that a key lists, or as many numbers as it says.
  func names(_ key: String) -> [String]? {
    texts(key) ?? count(key).map { (0..<$0).map(String.init) }
  }

  /// The bytes of a file in the bundle's assets folder.
  func file(_ key: String) throws -> (path: String, bytes: [UInt8])? {
    guard let name = text(key) else { return nil }
    let path = decoding.folder + name
    return (path, [UInt8](try FileSystem.read(path)))
  }

  /// Returns the name of a class, which is its index as text if there are no labels.
  func label(_ index: Int) -> String {
    guard let names = decoding.labels?.names, names.indices.contains(index) else {
      return "\(index)"
    }
    return names[index]
  }
}

extension JSONValue {
  var asNumber: Double? {
    switch self {
    case .number(let number): number
    case .integer(let integer): Double(integer)
    default: nil
    }
  }
}
