// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension String {
  /// The text on one line, without characters that a terminal would interpret.
  package var printable: String { replacingScalars { $0.isObeyedByTerminals ? " " : nil } }

  /// Returns the text without characters that a terminal would interpret, except line feeds, tabs
  /// and as many scalars at the start of a substring as the closure allows.
  package func printableLines(allowing allowed: (Substring.UnicodeScalarView) -> Int) -> String {
    guard unicodeScalars.contains(where: { $0.isObeyedByTerminals && !$0.isLayout }) else {
      return self
    }
    var result = String.UnicodeScalarView()
    var rest = unicodeScalars[...]
    while let scalar = rest.first {
      let count = scalar.isObeyedByTerminals ? allowed(rest) : 1
      if count == 0 {
        result.append(scalar.isLayout ? scalar : " ")
      } else {
        result.append(contentsOf: rest.prefix(count))
      }
      rest = rest.dropFirst(max(count, 1))
    }
    return String(result)
  }

  /// The text with spaces for line ends, because files such as those of labels have one text a line.
  var inOneLine: String { String(map { $0.isNewline ? " " : $0 }) }

  /// The JSON document, with escapes for the characters that a terminal would interpret.
  package var printableJSON: String {
    replacingScalars { scalar in
      guard scalar.isObeyedByTerminals, !scalar.isLayout else { return nil }
      let digits = String(scalar.value, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }

  private func replacingScalars(_ replacement: (Unicode.Scalar) -> String?) -> String {
    guard unicodeScalars.contains(where: \.isObeyedByTerminals) else { return self }
    var result = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if let text = replacement(scalar) {
        result.append(contentsOf: text.unicodeScalars)
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }
}

extension Unicode.Scalar {
  /// Whether a terminal interprets the character instead of showing it.
  ///
  /// Control characters begin escape sequences. Other characters reverse the text around them or
  /// end a line.
  fileprivate var isObeyedByTerminals: Bool {
    switch value {
    case 0x20..<0x7F: false
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: properties.generalCategory == .control
    }
  }

  /// Whether the character only separates lines or columns.
  fileprivate var isLayout: Bool { self == "\n" || self == "\t" }
}
