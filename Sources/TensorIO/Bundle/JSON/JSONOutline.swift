// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The order of the keys in a JSON document, which decoders don't preserve.
///
/// ``JSONValue`` has the values.
package indirect enum JSONOutline {
  case object([(key: String, value: JSONOutline)])
  case array([JSONOutline])
  /// Any value other than an object or array.
  case plain

  /// Outlines a document.
  ///
  /// The result is nil if the document is malformed.
  package init?(_ data: Data) {
    var scanner = JSONFaultScanner(bytes: Array(data))
    guard let outline = try? scanner.document() else { return nil }
    self = outline
  }

  /// The keys of an object, in the document's order.
  ///
  /// Empty for other values.
  package var keys: [String] {
    if case .object(let members) = self { members.map(\.key) } else { [] }
  }

  /// The member of an object, or nil if there is none.
  package subscript(key: String) -> JSONOutline? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.key == key }?.value
  }

  /// The element of an array, or nil if there is none.
  package subscript(index: Int) -> JSONOutline? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// The paths of keys that occur twice in an object.
  package func repeatedKeys(at path: String = "") -> [String] {
    switch self {
    case .plain: return []
    case .array(let elements):
      return elements.enumerated().flatMap { $1.repeatedKeys(at: "\(path)[\($0)]") }
    case .object(let members):
      var seen: Set<String> = []
      return members.flatMap { key, value in
        let location = path.isEmpty ? key : "\(path).\(key)"
        return (seen.insert(key).inserted ? [] : [location]) + value.repeatedKeys(at: location)
      }
    }
  }
}
