// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The names of a classifier's classes, in the order of the output's values.
///
/// This is a final class, so that all results share one copy.
public final class Labels: Sendable {
  /// The names, which may repeat: ImageNet's contain one twice.
  public let names: [String]

  /// Makes labels from names.
  public init(_ names: [String]) {
    self.names = names
  }

  /// Reads the text of a labels file, with one name per line.
  ///
  /// An empty last line is not a label. Lines end with a line feed, or with a carriage return and a
  /// line feed. A byte order mark is not part of the first name.
  package convenience init(text: String) {
    // Splits bytes instead of characters, because the labels of a thousand classes are read at
    // every start.
    let bytes = text.utf8.starts(with: "\u{FEFF}".utf8) ? text.utf8.dropFirst(3) : text.utf8[...]
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    var names = lines.dropLast().map { line in
      String(Substring(line.last == UInt8(ascii: "\r") ? line.dropLast() : line))
    }
    if let last = lines.last, !last.isEmpty { names.append(String(Substring(last))) }
    self.init(names)
  }
}

extension Labels: Hashable {
  public static func == (left: Labels, right: Labels) -> Bool {
    left === right || left.names == right.names
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(names) }
}
