// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
/// The range that a `Range` field requests (RFC 9110, section 14).
enum ByteRange: Equatable {
  /// All bytes, because the field is missing, isn't valid or has several ranges.
  case whole
  /// Some of the bytes.
  case part(Range<Int>)
  /// A range that contains none of the bytes.
  case unsatisfiable

  /// Parses a field.
  ///
  /// - Parameters:
  ///   - field: The field's value; nil if the request doesn't have the field.
  ///   - size: The number of bytes that exist.
  init(_ field: String?, size: Int) {
    self = .whole
    guard let field, let equals = field.firstIndex(of: "="),
      field[..<equals].lowercased() == "bytes"
    else { return }
    let range = Self.trimmed(field[field.index(after: equals)...])
    guard !range.contains(","), let dash = range.firstIndex(of: "-") else { return }
    let (first, last) = (range[..<dash], range[range.index(after: dash)...])
    if first.isEmpty {
      guard let count = Self.number(last) else { return }
      let part = max(0, size - count)..<size
      self = part.isEmpty ? .unsatisfiable : .part(part)
    } else if let first = Self.number(first), last.isEmpty || Self.number(last) != nil {
      let last = last.isEmpty ? Int.max : Self.number(last) ?? Int.max
      guard first <= last else { return }
      self = first < size ? .part(first..<min(last, size - 1) + 1) : .unsatisfiable
    }
  }

  /// Parses a number of digits only; a number that is too large becomes the largest integer.
  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text) ?? .max
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}

/// The range in a `Content-Range` field of an upload's part: `bytes FIRST-LAST/*`.
struct ContentRange: Equatable {
  let first: Int
  let last: Int

  var count: Int { last - first + 1 }

  /// Parses a field; nil if it isn't valid.
  init?(_ field: String) {
    let parts = field.split(separator: " ", omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
    let halves = parts[1].split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2, halves[1] == "*" || Self.number(halves[1]) != nil else { return nil }
    let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
      first <= last, last < Int.max
    else { return nil }
    if let total = Self.number(halves[1]), last >= total { return nil }
    self.first = first
    self.last = last
  }

  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }
}
#endif
