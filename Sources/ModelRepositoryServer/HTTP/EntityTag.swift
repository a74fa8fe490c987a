// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
/// Parses `If-Match`, `If-None-Match` and `If-Range` (RFC 9110, sections 8.8 and 13).
enum EntityTag {
  /// Whether a list contains a tag, with the strong comparison: the bytes are the same.
  static func isNamedStrongly(_ tag: String, in field: String) -> Bool {
    list(field).contains { $0 == tag || $0 == "*" }
  }

  /// Whether a list contains a tag, with the weak comparison: the content is the same.
  static func isNamed(_ tag: String, in field: String) -> Bool {
    list(field).contains { $0 == "*" || ($0.hasPrefix("W/") ? String($0.dropFirst(2)) : $0) == tag }
  }

  // This server's tags don't contain a comma, so it is harmless to split another server's tag.
  private static func list(_ field: String) -> [String] {
    field.split(separator: ",").map { part in
      var part = part.drop { $0 == " " || $0 == "\t" }
      while let last = part.last, last == " " || last == "\t" { part.removeLast() }
      return String(part)
    }
  }
}
#endif
