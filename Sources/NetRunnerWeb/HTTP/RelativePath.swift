// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import TensorIO

/// A path that a client names below a folder of the server's: it cannot lead out of it.
struct RelativePath: Sendable, Hashable {
  /// The folders, and the file at the end.
  let parts: [String]

  /// The most parts that a path has.
  static let maximumDepth = 16
  private static let maximumPartBytes = 255
  /// Systems take paths of 4096 bytes, the server's own folder among them.
  private static let maximumBytes = 2048

  /// The path with `/` between its parts.
  var text: String { parts.joined(separator: "/") }
  /// The last part.
  var name: String { parts.last ?? "" }

  /// Checks a path.
  ///
  /// - Parameter parts: The folders, and the file at the end.
  /// - Throws: ``WebError`` that says what is wrong with it.
  init(_ parts: [String]) throws {
    self.parts = parts
    guard !parts.isEmpty, parts.count <= Self.maximumDepth else {
      throw Self.invalid("A path has 1 to \(Self.maximumDepth) parts, got \(parts.count).")
    }
    guard parts.reduce(parts.count, { $0 + $1.utf8.count }) <= Self.maximumBytes else {
      throw Self.invalid("A path has at most \(Self.maximumBytes) bytes.")
    }
    for part in parts { try Self.check(part) }
  }

  /// Checks a path whose parts have `/` between them.
  init(_ text: String) throws {
    try self.init(
      text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
        .map { String($0) })
  }

  /// Checks a path of an address.
  init(percentEncoded parts: [Substring]) throws {
    try self.init(
      parts.map { part in
        guard let decoded = String(part).removingPercentEncoding else {
          throw Self.invalid("'\(part.prefix(100))' is no percent-encoded UTF-8.")
        }
        return decoded
      })
  }

  private static func check(_ part: String) throws {
    guard !part.isEmpty, part != ".", part != ".." else {
      throw invalid("A part of a path is a name, not '\(part)'.")
    }
    guard part.utf8.count <= maximumPartBytes else {
      throw invalid("A name has at most \(maximumPartBytes) bytes; '\(part.prefix(40))' has more.")
    }
    // By scalars: a slash with an accent is another character, and still a slash to the system.
    let isPlain = part.unicodeScalars.allSatisfy { scalar in
      scalar != "/" && scalar != "\\" && scalar.properties.generalCategory != .control
    }
    guard isPlain else {
      throw invalid("A name has no slash, backslash or control character.")
    }
  }

  private static func invalid(_ message: String) -> WebError {
    WebError(
      status: .badRequest, code: "invalid_path", message: message, endsConnection: true)
  }
}
#endif
