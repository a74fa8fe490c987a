// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes

/// A client's path relative to one of the server's folders, which it can't leave.
struct RelativePath: Sendable, Hashable {
  let parts: [String]

  static let maximumDepth = 16
  private static let maximumPartBytes = 255
  /// Operating systems accept 4096 bytes, which include the server's own folder.
  private static let maximumBytes = 2048

  var text: String { parts.joined(separator: "/") }
  var name: String { parts.last ?? "" }

  init(_ parts: [String]) throws {
    self.parts = parts
    guard !parts.isEmpty, parts.count <= Self.maximumDepth else {
      throw Self.invalid(
        "A path must have 1 to \(Self.maximumDepth) parts, but this one has \(parts.count).")
    }
    guard parts.reduce(parts.count, { $0 + $1.utf8.count }) <= Self.maximumBytes else {
      throw Self.invalid("A path can have at most \(Self.maximumBytes) bytes.")
    }
    for part in parts { try Self.check(part) }
  }

  /// Checks a path whose parts are separated by `/`.
  init(_ text: String) throws {
    try self.init(
      text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
        .map { String($0) })
  }

  /// Checks the percent-encoded parts of a URL's path.
  init(percentEncoded parts: [Substring]) throws {
    try self.init(
      parts.map { part in
        guard let decoded = String(part).removingPercentEncoding else {
          throw Self.invalid("'\(part.prefix(100))' isn't valid percent-encoded UTF-8.")
        }
        return decoded
      })
  }

  private static func check(_ part: String) throws {
    guard !part.isEmpty, part != ".", part != ".." else {
      throw invalid("A part of a path must be a name, not '\(part)'.")
    }
    guard part.utf8.count <= maximumPartBytes else {
      throw invalid(
        "A name can have at most \(maximumPartBytes) bytes, but '\(part.prefix(40))' has more.")
    }
    // Check scalars instead of characters: a slash with a combining accent is a different
    // character, but it is still a slash to the system.
    let isPlain = part.unicodeScalars.allSatisfy { scalar in
      scalar != "/" && scalar != "\\" && scalar.properties.generalCategory != .control
    }
    guard isPlain else {
      throw invalid("A name can't contain slashes, backslashes or control characters.")
    }
  }

  private static func invalid(_ message: String) -> WebError {
    WebError(
      status: .badRequest, code: "invalid_path", message: message, endsConnection: true)
  }
}
#endif
