// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The elements of an XML response of S3 that contain nothing but text.
///
/// This is less than a parser of XML: it finds texts by the names of their elements, which is all that
/// S3's lists and errors need.
struct S3Document {
  private let parts: [ArraySlice<UInt8>]

  init(_ bytes: [UInt8]) { parts = bytes.split(separator: UInt8(ascii: "<")) }

  /// Returns the texts of all elements with a name.
  func texts(_ name: String) -> [String] {
    let start = Array("\(name)>".utf8)
    return parts.compactMap { part in
      part.starts(with: start) ? Self.resolved(part.dropFirst(start.count)) : nil
    }
  }

  /// Returns the text of the first element with a name.
  func text(_ name: String) -> String? { texts(name).first }

  /// Whether an element with a name ends in the document.
  func hasEnd(of name: String) -> Bool { parts.contains { $0.starts(with: "/\(name)>".utf8) } }

  /// Returns a text with its entities resolved, as far as they are known.
  private static func resolved(_ bytes: ArraySlice<UInt8>) -> String {
    let parts = bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(into: String(decoding: parts[0], as: UTF8.self)) {
      result, part in
      let name = String(decoding: part.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
      let rest = part.dropFirst(name.utf8.count + 1)
      if let letter = letter(name) {
        result.unicodeScalars.append(letter)
        result += String(decoding: rest, as: UTF8.self)
      } else {
        result += "&" + String(decoding: part, as: UTF8.self)
      }
    }
  }

  private static func letter(_ entity: String) -> Unicode.Scalar? {
    switch entity {
    case "lt": "<"
    case "gt": ">"
    case "amp": "&"
    case "quot": "\""
    case "apos": "'"
    case _ where entity.hasPrefix("#x"):
      UInt32(entity.dropFirst(2), radix: 16).flatMap { Unicode.Scalar($0) }
    case _ where entity.hasPrefix("#"): UInt32(entity.dropFirst()).flatMap { Unicode.Scalar($0) }
    default: nil
    }
  }
}
