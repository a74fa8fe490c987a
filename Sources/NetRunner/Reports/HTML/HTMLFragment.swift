// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A piece of an HTML page.
///
/// Interpolated strings are escaped, and interpolated fragments aren't. A name such as `<script>`
/// therefore never becomes markup by accident. Attributes must be in double quotes.
struct HTMLFragment: ExpressibleByStringInterpolation {
  private(set) var text: String

  /// An empty fragment.
  static var empty: HTMLFragment { HTMLFragment(stringLiteral: "") }

  init(stringLiteral markup: String) { text = markup }

  init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

  static func += (fragment: inout HTMLFragment, other: HTMLFragment) {
    fragment.text += other.text
  }

  struct Interpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    mutating func appendLiteral(_ markup: String) { text += markup }

    mutating func appendInterpolation(_ value: String) { text.append(escaping: value) }

    mutating func appendInterpolation(_ value: Int) { text += String(value) }

    mutating func appendInterpolation(_ value: DecimalText) { text += value.description }

    mutating func appendInterpolation(_ fragment: HTMLFragment) { text += fragment.text }

    mutating func appendInterpolation(_ fragments: [HTMLFragment]) {
      for fragment in fragments { text += fragment.text }
    }

    /// Appends a coordinate of a chart.
    mutating func appendInterpolation(_ coordinate: Double) {
      var decimals = DecimalText(coordinate.isFinite ? coordinate : 0, digits: 1).description
      if decimals.hasSuffix(".0") { decimals.removeLast(2) }
      text += decimals
    }
  }
}

extension String {
  /// Appends text that is escaped for use between tags and in quoted attributes.
  ///
  /// Characters that HTML doesn't allow become U+FFFD.
  fileprivate mutating func append(escaping value: String) {
    for scalar in value.unicodeScalars {
      switch scalar {
      case "&": self += "&amp;"
      case "<": self += "&lt;"
      case ">": self += "&gt;"
      case "\"": self += "&quot;"
      case "'": self += "&#39;"
      case "\t", "\n": unicodeScalars.append(scalar)
      case "\0"..<" ", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}":
        unicodeScalars.append("\u{FFFD}")
      default: unicodeScalars.append(scalar)
      }
    }
  }
}

extension HTMLFragment {
  /// Isolates text from elsewhere, so that its writing direction doesn't affect the text around it.
  static func name(_ text: String) -> HTMLFragment { "<bdi>\(text)</bdi>" }

  /// Wraps a table that can be wider than the page.
  ///
  /// It scrolls separately, also with the keyboard.
  static func scrolling(_ table: HTMLFragment, label: String) -> HTMLFragment {
    "<div class=\"scroll\" role=\"region\" aria-label=\"\(label)\" tabindex=\"0\">\(table)</div>\n"
  }
}
